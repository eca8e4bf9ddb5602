"""Single changes to rules, formats, derived fields and calculators: does a test notice each one?"""
