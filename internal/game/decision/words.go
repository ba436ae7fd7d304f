package decision

import (
	"errors"
	"strings"
)

// Word is a part of a line that somebody types.
type Word struct {
	Text string
	At   int // where it begins in the line
}

var errQuote = errors.New(`a double quote is open: write "name with spaces"`)

// Words cuts a line at spaces. What stands in double quotes is one word; a quote
// inside of a word is part of it.
func Words(line string) ([]Word, error) {
	var out []Word
	for i := 0; i < len(line); {
		if line[i] == ' ' {
			i++
			continue
		}
		end, text := 0, ""
		if line[i] == '"' {
			n := strings.IndexByte(line[i+1:], '"')
			if n < 0 {
				return nil, errQuote
			}
			text, end = line[i+1:i+1+n], i+n+2
		} else {
			n := strings.IndexByte(line[i:], ' ')
			if n < 0 {
				n = len(line) - i
			}
			text, end = line[i:i+n], i+n
		}
		out = append(out, Word{text, i})
		i = end
	}
	return out, nil
}
