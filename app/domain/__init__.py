"""The vocabulary of the product. Standard library only; imports nothing else of Deidra."""
