"""The contents of panels as plain data, without Textual."""
