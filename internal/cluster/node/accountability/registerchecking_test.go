package accountability

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
)

// timed is an environment that has the time, and nothing else.
type timed struct {
	machine.Env
	at machine.Time
}

func (e *timed) Now() machine.Time { return e.at }

// TestShownNames: which names a follower of the lobby lets its leader show.
func TestShownNames(t *testing.T) {
	ann, bo := id.Of([]byte("ann")), id.Of([]byte("bo"))
	type world struct {
		*registerChecking
		env *timed
		g   *regionlog.Register
	}
	show := func(w *world, player id.ID, name string) {
		w.onPlayers(&lobby.Players{List: []lobby.PlayerInfo{{Player: player, Name: name, Present: true}}})
	}
	for _, c := range []struct {
		what string
		does func(w *world, second int)
		want bool // suspected
	}{
		{"as in the log", func(w *world, _ int) { show(w, ann, "Ann") }, false},
		{"another name, once", func(w *world, second int) {
			if second == 0 {
				show(w, ann, "Somebody")
			}
		}, true},
		{"another name, and the right one after it", func(w *world, second int) {
			if second == 0 {
				show(w, ann, "Somebody")
			}
			show(w, ann, "Ann")
		}, true},
		{"somebody else's name", func(w *world, _ int) { show(w, bo, "Ann") }, true},
		{"a name that comes into the log later", func(w *world, second int) {
			show(w, bo, "Bo")
			if second == 5 {
				w.g.Claim(0, bo, "Bo", nil)
			}
		}, false},
		{"who takes another name at once", func(w *world, second int) {
			if second > 0 {
				return
			}
			show(w, ann, "Ann")
			w.g.Claim(0, ann, "Hanna", nil)
			show(w, ann, "Hanna")
		}, false},
		{"an old name that comes late", func(w *world, second int) {
			switch second {
			case 0:
				w.g.Claim(0, ann, "Hanna", nil)
			case 2:
				show(w, ann, "Ann")
			}
		}, false},
		{"what was shown while the log began anew", func(w *world, second int) {
			if second == 1 {
				w.end(w.env.at, w.g)
				show(w, ann, "Hanna") // and she was called Ann again before the log went on
				w.begin(w.env.at, w.g)
			}
		}, false},
		{"a false name before the log began anew", func(w *world, second int) {
			switch second {
			case 0:
				show(w, ann, "Hanna")
			case 5:
				w.end(w.env.at, w.g)
				w.begin(w.env.at, w.g)
			}
		}, true},
	} {
		t.Run(c.what, func(t *testing.T) {
			suspected := ""
			env := &timed{at: machine.Time(time.Hour)}
			g := regionlog.NewRegister(id.Of([]byte("country")), false)
			w := &world{&registerChecking{Part: part.Part{Env: env}, suspect: func(what string) { suspected = what }}, env, g}
			g.Claim(0, ann, "Ann", nil)
			g.Gone(0, ann)
			w.begin(env.at, g)
			for second := range 40 {
				env.at = env.at.Add(time.Second)
				c.does(w, second)
				w.beat(env.at, g)
			}
			if (suspected != "") != c.want {
				t.Errorf("suspected %q", suspected)
			}
		})
	}
}
