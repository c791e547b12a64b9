"""What must hold of a class: the requirements, their definitions, and the verdict that judges give."""
