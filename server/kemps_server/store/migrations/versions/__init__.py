"""One module a step, in order. A step that was released is never edited: the next one puts it right."""
