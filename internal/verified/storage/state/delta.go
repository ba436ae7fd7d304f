package state

import (
	"encoding/binary"
	"errors"
)

// AppendDelta appends what makes one encoding of another: runs of bytes that
// stay, by their number, and bytes that are new, each run with its length.
func AppendDelta(out, old, new []byte) []byte {
	const worth = 4 // shorter runs that stay are not worth a new head
	for i := 0; i < len(new); {
		same := i
		for same < len(new) && same < len(old) && new[same] == old[same] {
			same++
		}
		end, run := same, 0
		for end+run < len(new) && run < worth {
			if at := end + run; at < len(old) && new[at] == old[at] {
				run++
			} else {
				end, run = end+run+1, 0
			}
		}
		if run < worth {
			end = len(new)
		}
		out = binary.AppendUvarint(out, uint64(same-i))
		out = binary.AppendUvarint(out, uint64(end-same))
		out = append(out, new[same:end]...)
		i = end
	}
	return out
}

var ErrDelta = errors.New("a difference that does not fit what it is from")

// ApplyDelta is the inverse of AppendDelta; the result is at most limit long.
func ApplyDelta(old, delta []byte, limit int) ([]byte, error) {
	var out []byte
	for len(delta) > 0 {
		same, a := binary.Uvarint(delta)
		if a <= 0 || same > uint64(len(old)) || uint64(len(out))+same > uint64(len(old)) {
			return nil, ErrDelta
		}
		fresh, b := binary.Uvarint(delta[a:])
		if b <= 0 || fresh > uint64(len(delta)-a-b) || len(out)+int(same)+int(fresh) > limit {
			return nil, ErrDelta
		}
		if same+fresh == 0 {
			return nil, ErrDelta // says nothing
		}
		delta = delta[a+b:]
		out = append(out, old[len(out):len(out)+int(same)]...)
		out = append(out, delta[:fresh]...)
		delta = delta[fresh:]
	}
	return out, nil
}

type deltaKey struct{ from, to *Object }

// Delta is how many bytes the difference of two versions takes.
func (m *ReplayCache) Delta(r Rules, from, to *Object) int {
	k := deltaKey{from, to}
	if size, ok := m.deltas[k]; ok {
		return size
	}
	m.scratch[0] = r.AppendObject(m.scratch[0][:0], from)
	m.scratch[1] = r.AppendObject(m.scratch[1][:0], to)
	m.scratch[2] = AppendDelta(m.scratch[2][:0], m.scratch[0], m.scratch[1])
	m.deltas[k] = len(m.scratch[2])
	return len(m.scratch[2])
}
