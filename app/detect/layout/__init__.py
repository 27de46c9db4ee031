"""What labels on a page mean, and which values belong to them: by wording, by form, and by where they stand."""
