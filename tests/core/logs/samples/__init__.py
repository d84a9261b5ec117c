"""What a person says of each line of the sample logs, a module for each family of trainers."""
