"""The formulas of training as commands; core/formulas.py and core/schedule.py hold them."""
