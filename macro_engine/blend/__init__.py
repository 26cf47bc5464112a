"""A stack of ten cheap experts, MACRO's family among them."""
