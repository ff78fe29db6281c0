"""AVOS: actions, and boxes of hands and instruments, in videos of open surgery."""
