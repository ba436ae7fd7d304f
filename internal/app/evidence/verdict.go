package evidence

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
)

// maxLine bounds a line: the answers of a zone's most populous cells fit.
const maxLine = 1 << 28

// Verdict is what comes of a file of evidence.
type Verdict struct {
	Lines   int
	Guilty  map[id.ID]int // how many lines prove it
	Weak    int           // lines that prove nothing alone
	Refused []error       // why others prove nothing, the first few
}

// maxRefused bounds Verdict.Refused.
const maxRefused = 10

// Read checks every line of evidence of the world that begins so. The error is
// the reader's.
func Read(in io.Reader, world identity.Genesis) (*Verdict, error) {
	v := &Verdict{Guilty: map[id.ID]int{}}
	err := Each(in, func(n int, line []byte) {
		v.Lines = n
		who, err := Proven(line, world)
		switch {
		case err == nil:
			v.Guilty[who]++
		case errors.Is(err, ErrWeak):
			v.Weak++
		case len(v.Refused) < maxRefused:
			v.Refused = append(v.Refused, fmt.Errorf("line %d: %w", n, err))
		}
	})
	return v, err
}

// Each calls do for each line that is not empty, with its number. The error is the
// reader's.
func Each(in io.Reader, do func(n int, line []byte)) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		if len(lines.Bytes()) > 0 {
			do(n, lines.Bytes())
		}
	}
	return lines.Err()
}
