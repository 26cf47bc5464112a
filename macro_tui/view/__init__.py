"""What panels show, as plain data: nothing here knows of Textual."""
