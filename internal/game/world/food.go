package world

// Food returns how much health eating b gives; 0 for what cannot be eaten.
func Food(b Block) int { return food[b] }
