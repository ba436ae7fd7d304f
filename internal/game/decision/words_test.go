package decision

import (
	"fmt"
	"testing"
)

func TestWords(t *testing.T) {
	for _, c := range []struct {
		line string
		want []string
	}{
		{"", nil},
		{"  a  b ", []string{"a", "b"}},
		{`msg "Ann B" it's "fine"`, []string{"msg", "Ann B", "it's", "fine"}},
		{`a"b c"`, []string{`a"b`, `c"`}},
		{`""`, []string{""}},
	} {
		words, err := Words(c.line)
		if err != nil {
			t.Errorf("%q: %v", c.line, err)
		}
		var got []string
		for _, w := range words {
			got = append(got, w.Text)
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%q: got %q, want %q", c.line, got, c.want)
		}
	}
	if _, err := Words(`msg "Ann`); err == nil {
		t.Error("an open quote was accepted")
	}
}
