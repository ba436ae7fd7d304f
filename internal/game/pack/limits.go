package pack

// Limits of a pack. Those of numbers are in the tables of fields (block.go).
const (
	MaxFiles    = 64
	MaxFile     = 1 << 20 // bytes
	MaxTotal    = 4 << 20 // bytes, of all files
	MaxPacks    = 8       // of a world, besides the base pack
	MaxBlocks   = 1024    // of all packs of a world: ids are below
	MaxMobs     = 160     // likewise
	MaxRecipes  = 1024    // likewise
	MaxTextures = 240     // likewise: browsers have layers for 256, and ten are cracks
	MaxName     = 40      // bytes
	MaxTitle    = 60      // bytes
	MaxStack    = 99      // items of one kind in a slot
	MaxTexts    = 16      // languages of a pack

	// FirstBlock and FirstMob are where packs begin behind the base pack, so that this
	// one can grow in a later version without moving what is theirs.
	FirstBlock = 512
	FirstMob   = 64

	maxDepth   = 8       // of values in values
	maxFields  = 64      // of an object
	maxParts   = 9       // kinds of things in a recipe
	maxErrors  = 20      // that are reported; a pack with more is not read on
	maxPicture = 1 << 16 // bytes of a PNG
)
