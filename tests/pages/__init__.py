"""Tables of the documentation, generated from the code. Each page's cog block prints one."""
