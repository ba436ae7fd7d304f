package client

import (
	"fmt"
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/game/clipboard"
	"github.com/voxelpopuli/voxelpopuli/internal/game/foreign"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// schematics are the files that a client sends, and asks for. The node that the player is at
// reads and writes them; the lobby keeps what was copied.
type schematics struct {
	parts []byte // of a file that comes; only Handle's goroutine touches it
	over  bool   // it is too large: the rest is not kept
	last  time.Time
	asked bool // the client wants what the player has copied
}

// schematicEvery is how often a client may send a file: to read one costs the node up to 3 MB
// and some hundredths of a second. How often it may ask for one is the lobby's pace.
const schematicEvery = 2 * time.Second

// maxMissed is how many kinds of blocks without a counterpart are listed.
const maxMissed = 12

// onSchematic takes a part of a file.
func (s *Session) onSchematic(m *wire.PutSchematic) {
	f := &s.schem
	if f.over = f.over || len(f.parts)+len(m.Data) > wire.MaxSchematic; !f.over {
		f.parts = append(f.parts, m.Data...)
	}
	if m.More {
		return
	}
	file, over := f.parts, f.over
	f.parts, f.over = nil, false
	wait := len(file) > 0 && time.Since(f.last) < schematicEvery
	if len(file) > 0 && !wait {
		f.last = time.Now()
	}
	var clip *lobby.Clip
	text := ""
	switch {
	case wait:
		text = "One schematic after the other: wait a moment."
	case over:
		text = fmt.Sprintf("A schematic has at most %d kB here; voxelpopuli world import-schem reads larger ones.", wire.MaxSchematic>>10)
	case len(file) == 0:
		clip = &lobby.Clip{}
	default:
		clip, text = readSchematic(file)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if text != "" {
		kind := wire.ChatError
		if clip != nil {
			kind = wire.ChatSystem
		}
		s.say(&wire.Chat{Kind: kind, Text: text})
	}
	if clip != nil {
		f.asked = len(file) == 0
		s.send(clip)
	}
}

// readSchematic reads a file, and says what it has no blocks for; the clip is nil if it
// cannot be read.
func readSchematic(file []byte) (clip *lobby.Clip, text string) {
	box, rep, err := foreign.Decode(file, clipboard.MaxBlocks)
	if err != nil {
		return nil, fmt.Sprintf("That is no schematic (.schem) that can be read: %v.", err)
	}
	for i, b := range box.Blocks {
		same, ok := world.Copied(b)
		if b == clipboard.Nothing || !ok {
			same = clipboard.Nothing
		}
		box.Blocks[i] = same
	}
	text = fmt.Sprintf("The schematic is %d × %d × %d blocks, %d of them not air.", box.X, box.Y, box.Z, rep.Blocks)
	if lines := rep.Lines(); len(lines) > 0 {
		shown := lines[:min(len(lines), maxMissed)]
		text += fmt.Sprintf(" Without a counterpart, and air here: %s", strings.Join(shown, ", "))
		if more := len(lines) - len(shown); more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		text += "."
	}
	return &lobby.Clip{Size: [3]uint32{uint32(box.X), uint32(box.Y), uint32(box.Z)}, Blocks: clipboard.Encode(box.Blocks)}, text
}

// onClip gives the client what the player has copied, as a file, if it has asked for it.
func (s *Session) onClip(m *lobby.Clip, to Sink) {
	if !s.schem.asked {
		return
	}
	s.schem.asked = false
	box, err := clipboard.DecodeBox([3]int{int(m.Size[0]), int(m.Size[1]), int(m.Size[2])}, m.Blocks)
	var file []byte
	var rep foreign.Report
	if err == nil {
		file, rep, err = foreign.Encode(box, 2)
	}
	if err != nil {
		s.add(to, &wire.Chat{Kind: wire.ChatError, Text: fmt.Sprintf("What is copied cannot be written: %v.", err)})
		return
	}
	if lines := rep.Lines(); len(lines) > 0 {
		s.add(to, &wire.Chat{Kind: wire.ChatSystem, Text: "Without a counterpart, and air in the file: " + strings.Join(lines[:min(len(lines), maxMissed)], ", ") + "."})
	}
	for more := true; more; {
		part := file[:min(len(file), wire.MaxSchemGiven)]
		file = file[len(part):]
		more = len(file) > 0
		s.add(to, &wire.Schematic{Data: part, More: more})
	}
}
