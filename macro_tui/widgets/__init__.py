"""The widgets: each shows a frozen view as rows of coloured text."""
