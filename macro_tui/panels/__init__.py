"""A panel a file: from the scene to a picture, in pure functions, and the widget around it."""
