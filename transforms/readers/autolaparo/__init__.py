"""AutoLaparo: phases, camera motions, and masks of tools and uterus in hysterectomies."""
