package pack

// Limits of a pack. Those of numbers are in the tables of fields (block.go).
const (
	MaxFiles   = 64
	MaxFile    = 1 << 20 // bytes
	MaxTotal   = 4 << 20 // bytes, of all files
	MaxBlocks  = 1024    // of all packs of a world
	MaxRecipes = 1024    // likewise
	MaxName    = 40      // bytes
	MaxTitle   = 60      // bytes
	MaxStack   = 99      // items of one kind in a slot

	maxDepth  = 8  // of values in values
	maxFields = 64 // of an object
	maxParts  = 9  // kinds of things in a recipe
	maxErrors = 20 // that are reported; a pack with more is not read on
)
