package lobby

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

var update = flag.Bool("update", false, "write testdata again")

// TestTranscripts runs the scripts of testdata: lines that begin with "> " are
// done, what stands below them is what the lobby did.
func TestTranscripts(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.txt")
	if len(files) == 0 {
		t.Fatal("no transcripts")
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s := newStage()
			for line := range strings.Lines(string(want)) {
				line = strings.TrimSuffix(line, "\n")
				switch {
				case strings.HasPrefix(line, "> "):
					s.say("%s", line)
					s.act(line[2:])
				case strings.HasPrefix(line, "#") || line == "":
					s.say("%s", line)
				}
			}
			if *update {
				if err := os.WriteFile(file, []byte(s.out.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if s.out.String() != string(want) {
				t.Errorf("the lobby acts differently from %s (run with -update and look at the difference):\n%s", file, s.out.String())
			}
		})
	}
}

// TestPeerNames: what the node takes for itself is the zero peer only.
func TestZeroPeerIsTheNode(t *testing.T) {
	if peerName(machine.Peer{}) != "node" || peerName(session("a")) != "a" {
		t.Fatal("session names")
	}
}

// In a stored survival world nobody gets what nobody has dug: the storage's rules
// would not know of it, and other nodes would take the leader for a liar.
func TestStoredWorldsGiveNothing(t *testing.T) {
	for _, stored := range []bool{false, true} {
		s := newStage()
		s.h.cfg.Stored = stored
		s.act("local a ann Ann")
		for line, refused := range map[string]bool{"/give ann stone 3": stored, "/gamemode creative": stored, "/gamemode spectator": false, "/gamemode survival": false} {
			s.out.Reset()
			s.act("say a " + line)
			said := s.out.String()
			if strings.Contains(said, "node < Order") == refused || strings.Contains(said, "in this world") != refused {
				t.Errorf("stored %t, %s: %s", stored, line, said)
			}
		}
	}
}

// TestEnteringIsBounded: before the list of players is read a session waits once,
// however often it says that it enters, and only so many wait.
func TestEnteringIsBounded(t *testing.T) {
	s := newStage()
	s.slow = true
	s.start()
	enters := func(i int, name string) {
		who := fmt.Sprint("s", i)
		s.h.OnMessage(session(who), &Enter{Player: id.Of([]byte(who)), Name: name})
	}
	for i := range maxEntering {
		enters(i, "early")
		enters(i, fmt.Sprint("n", i))
	}
	if n := len(s.h.entering); n != maxEntering {
		t.Fatalf("%d wait, want %d", n, maxEntering)
	}
	s.out.Reset()
	enters(maxEntering, "late")
	if said := s.out.String(); len(s.h.entering) != maxEntering || !strings.Contains(said, "busy") {
		t.Fatalf("%d wait; one too many hears: %s", len(s.h.entering), said)
	}
	s.slow = false
	s.flush()
	if len(s.h.here) != s.h.cfg.MaxPlayers || s.h.names.holder("n0") == nil || s.h.names.holder("early") != nil {
		t.Fatalf("%d are in, want %d", len(s.h.here), s.h.cfg.MaxPlayers)
	}
}

// FuzzCommand types anything as an operator and as somebody else: no panic,
// and each line gets an answer or does something.
func FuzzCommand(f *testing.F) {
	for _, s := range []string{
		"/help", "/tp bo", "/tp ~ ~1.5 ~-3", `/tp "ann" bo`, "/give bo stone 3", "/gamemode c", "/time set noon", "/ban bo 3d being rude",
		`/msg "`, "/", "/ /", "/whitelist add Zoë", "/unban x", "/op bo", "/save", "/tp 1e308 1 1", "/time add -24000", "/kick bo", "\x00/a", "/me \u202e",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		for _, who := range []string{"a", "b"} {
			s := newStage()
			s.act("local a ann ann")
			s.act("enter b bo bo")
			s.out.Reset()
			s.act("say " + who + " " + line)
			if strings.HasPrefix(strings.TrimSpace(line), "/") && s.out.Len() == 0 {
				t.Errorf("no answer to %q", line)
			}
			s.wait(time.Minute)
		}
	})
}

func TestPace(t *testing.T) {
	var p rateLimit
	now := machine.Time(0).Add(time.Hour)
	n := 0
	for range 100 {
		if p.allow(now, time.Second, 8) {
			n++
		}
	}
	if n != 8 {
		t.Errorf("a burst of %d, want 8", n)
	}
	for range 50 {
		now = now.Add(500 * time.Millisecond)
		if p.allow(now, time.Second, 8) {
			n++
		}
	}
	if n != 8+25 {
		t.Errorf("%d in 25 s after the burst, want 25", n-8)
	}
}

func BenchmarkNewsTo1000(b *testing.B) {
	s := newStage()
	s.h.cfg.MaxPlayers = 1000
	for i := range 1000 {
		s.quiet = true
		s.act(fmt.Sprintf("enter s%d k%d n%d", i, i, i))
	}
	s.wait(time.Second)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		s.h.queueNews(s.h.here[i%1000])
		s.h.sendNews()
		s.timers = s.timers[:0]
		s.h.armed = false
	}
}

// TestWhitelistOfTheFounder: an operator who turns the whitelist off hears that the
// founder keeps it on, and who is not listed stays out.
func TestWhitelistOfTheFounder(t *testing.T) {
	s := newStage()
	s.h.cfg.Whitelist = func() bool { return true }
	does := func(line, want string) {
		t.Helper()
		s.out.Reset()
		s.act(line)
		if !strings.Contains(s.out.String(), want) {
			t.Errorf("%s: want %q in:\n%s", line, want, s.out.String())
		}
	}
	does("local m mo Mo", "Admitted")
	does("say m /whitelist off", "it stays on until")
	does("say m /whitelist list", "The whitelist is on")
	does("enter b bo Bo", "not-whitelisted")
	s.h.cfg.Whitelist = func() bool { return false }
	does("say m /whitelist off", "The whitelist is off.")
	does("enter c cy Cy", "Admitted")
}

// TestOperatorsAfterTakeover: whoever was an operator before another node took the
// lobby over still is, without entering anew.
func TestOperatorsAfterTakeover(t *testing.T) {
	s := newStage()
	s.act("local m mo Mo")
	s.act("say m /whitelist list")
	s.start() // as another node does, with what the group has
	s.h.OnMessage(session("m"), &Enter{Player: playerOf("mo"), Name: "Mo", Resume: true})
	s.flush()
	s.out.Reset()
	s.act("say m /whitelist list")
	if said := s.out.String(); strings.Contains(said, "for operators") || !strings.Contains(said, "whitelist is") {
		t.Error(said)
	}
}
