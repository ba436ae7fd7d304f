package webmap

// Overview is what the map shows besides the land.
type Overview struct {
	Name  string   `json:"name"`
	Spawn [2]int32 `json:"spawn"` // x and z
	Zooms int      `json:"zooms"`
	// Claims are boxes of land that players own.
	Claims []Claim `json:"claims"`
	// Players are in the world; nil: the map does not show them.
	Players []Player `json:"players"`
}

// Claim is land of a player, from corner to corner, both inside.
type Claim struct {
	Name  string   `json:"name"`
	Owner string   `json:"owner"`
	From  [2]int32 `json:"from"`
	To    [2]int32 `json:"to"`
}

// Player is somebody in the world.
type Player struct {
	Name string `json:"name"`
	X    int32  `json:"x"`
	Z    int32  `json:"z"`
}
