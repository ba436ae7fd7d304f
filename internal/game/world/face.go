package world

// Face is a side of a block, numbered as on the wire.
type Face uint8

// The faces.
const (
	FaceDown  Face = iota // −y
	FaceUp                // +y
	FaceNorth             // −z
	FaceSouth             // +z
	FaceWest              // −x
	FaceEast              // +x
	faceCount
)

// Next returns the block that lies at the face of p.
func (p Pos) Next(f Face) Pos {
	switch f {
	case FaceDown:
		return p.Add(0, -1, 0)
	case FaceUp:
		return p.Add(0, 1, 0)
	case FaceNorth:
		return p.Add(0, 0, -1)
	case FaceSouth:
		return p.Add(0, 0, 1)
	case FaceWest:
		return p.Add(-1, 0, 0)
	case FaceEast:
		return p.Add(1, 0, 0)
	}
	return p
}
