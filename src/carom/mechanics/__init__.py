"""Compiled mechanics: body records, constraint rows, the equations of motion and their linear algebra."""
