package decision

import "github.com/voxelpopuli/voxelpopuli/internal/core/id"

// About returns the player that the encoding of a statement or an order is about, and
// the name by which it was typed. The subject of a statement about no player is zero.
func About(proposal []byte) (name string, subject id.ID, err error) {
	if IsOrder(proposal) {
		o, err := DecodeOrder(proposal)
		if err != nil {
			return "", id.ID{}, err
		}
		return o.Name, o.Subject, nil
	}
	s, err := Decode(proposal)
	if err != nil {
		return "", id.ID{}, err
	}
	return s.Name, s.Subject, nil
}
