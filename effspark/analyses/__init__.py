"""What follows from the layers: transfer, selection, costs, early stops, loops, surfaces, subset errors, diagnosis."""
