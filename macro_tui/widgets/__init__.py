"""The widgets: each shows a view as rows of coloured text."""
