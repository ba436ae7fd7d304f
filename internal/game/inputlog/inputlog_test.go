package inputlog

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

var update = flag.Bool("update", false, "write testdata")

var (
	testKey     = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, 32))
	testSession = Session{World: id.ID{1, 19: 2}, Key: [32]byte(testKey.Public().(ed25519.PublicKey)), Nonce: [32]byte{3, 31: 4}}
)

// script is an evening of a player: segments of all shapes.
func script() (out []*Segment) {
	b := NewBuilder(testSession, testKey)
	add := func(s *Segment) {
		if s != nil {
			out = append(out, s)
		}
	}
	for seq := uint32(1); seq <= 25; seq++ {
		tick := 1000 + uint64(seq)
		add(b.Step(seq, world.Input{Buttons: uint16(seq), Yaw: 60000 + uint16(seq), Pitch: -int16(seq)}, tick))
		if b.Due(tick) {
			add(b.Sign(tick))
		}
		if seq == 10 {
			add(b.Act(Act{Seq: 1, Kind: 3, At: world.Pos{X: -5, Y: 63, Z: 1 << 20}, Face: 1, A: 1 << 40, B: 9}, tick))
			add(b.Act(Act{Seq: 2, Kind: 6}, tick))
		}
	}
	add(b.Step(40, world.Input{}, 1030)) // after a pause in which steps were left out
	for seq := uint32(41); seq <= 110; seq++ {
		add(b.Step(seq, world.Input{Buttons: 1}, 1030))
	}
	add(b.Sign(900)) // a clock that was set back
	return out
}

// TestGolden: the segments are those in testdata, which the client in the browser
// makes, too (web/test/inputlog.test.ts).
func TestGolden(t *testing.T) {
	var got []string
	for _, s := range script() {
		got = append(got, hex.EncodeToString(s.Append(nil)))
	}
	const file = "testdata/segments.json"
	if *update {
		b, _ := json.MarshalIndent(got, "", "  ")
		if err := os.WriteFile(file, append(b, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	if err := json.Unmarshal(b, &want); err != nil || len(want) != len(got) {
		t.Fatalf("%d segments, want %d, %v", len(got), len(want), err)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("segment %d is %s, want %s", i, got[i], want[i])
		}
	}
}

// TestScript: a log takes all segments of a client, and signs all of its steps.
func TestScript(t *testing.T) {
	l := &Log{}
	l.Enter(testSession.Key, testSession.Nonce)
	for _, s := range script() {
		for i, st := range s.Steps {
			if !l.Step(s.First+uint32(i), st, s.Tick) {
				t.Fatalf("step %d is an old one", s.First+uint32(i))
			}
		}
		again, err := Decode(s.Append(nil))
		if err != nil || !again.Verify(&testSession) {
			t.Fatalf("segment %d cannot be read or verified: %v", s.Number, err)
		}
		if err := l.Current(again, s.Tick); err != nil {
			t.Fatal(err)
		}
		if err := l.Take(&testSession, again); err != nil || l.Stopped(s.Tick+StopAfter+1) {
			t.Fatalf("segment %d: %v, %d steps open", s.Number, err, len(l.open))
		}
	}
}

// TestOrder: segments may overtake each other on their way over two links; all steps
// are signed in the end. One that follows another than the last is refused.
func TestOrder(t *testing.T) {
	l, list := &Log{}, script()
	l.Enter(testSession.Key, testSession.Nonce)
	for _, s := range list {
		for i, st := range s.Steps {
			l.Step(s.First+uint32(i), st, s.Tick)
		}
	}
	for _, i := range []int{1, 0, 3, 2, 2, 4, 5, 6} {
		if i < len(list) {
			if err := l.Take(&testSession, list[i]); err != nil {
				t.Fatalf("segment %d: %v", i, err)
			}
		}
	}
	if len(l.open) != 0 {
		t.Errorf("%d steps are not signed", len(l.open))
	}
	fork := *list[len(list)-1]
	fork.Number++
	fork.Prev[0]++
	if err := l.Take(&testSession, &fork); !errors.Is(err, ErrChain) {
		t.Errorf("a segment that does not follow the last: %v", err)
	}
}

// TestLog: an encoded log is the same log, and what is none is refused.
func TestLog(t *testing.T) {
	l := &Log{}
	l.Enter(testSession.Key, testSession.Nonce)
	if err := l.Take(&testSession, script()[0]); err != nil {
		t.Fatal(err)
	}
	for seq := range uint32(300) {
		l.Step(seq, world.Input{Buttons: uint16(seq), Pitch: -3}, 1<<40)
	}
	b := l.Append(nil)
	if len(b) > MaxLogSize || len(l.open) != MaxOpen {
		t.Fatalf("%d bytes, %d steps", len(b), len(l.open))
	}
	same, err := DecodeLog(b)
	if err != nil || !bytes.Equal(same.Append(nil), b) {
		t.Fatalf("another log comes back: %v", err)
	}
	for n := range b {
		if _, err := DecodeLog(b[:n]); !errors.Is(err, ErrFormat) {
			t.Fatalf("%d of %d bytes are a log", n, len(b))
		}
	}
}

// FuzzSegment: a decoder takes exactly what Append makes.
func FuzzSegment(f *testing.F) {
	for _, s := range script() {
		f.Add(s.Append(nil))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := Decode(b)
		if err != nil {
			return
		}
		if again := s.Append(nil); !bytes.Equal(again, b) || len(s.Steps) > MaxSteps || len(s.Acts) > MaxActs {
			t.Errorf("%x became %x", b, again)
		}
		s.Verify(&testSession)
	})
}

// FuzzLog: the same of a log that another region sends; none makes its receiver fail.
func FuzzLog(f *testing.F) {
	l := &Log{}
	l.Enter(testSession.Key, testSession.Nonce)
	l.Step(1, world.Input{Buttons: 3}, 9)
	f.Add(l.Append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := DecodeLog(b)
		if err != nil {
			return
		}
		if len(l.open) > MaxOpen {
			t.Errorf("%d steps are open", len(l.open))
		}
		for _, s := range script() {
			_ = l.Take(&testSession, s)
		}
	})
}
