package copies

import (
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// jobs notes what a component has the disk do.
type jobs []machine.Job

func (j *jobs) Do(_ string, _ uint64, job machine.Job) { *j = append(*j, job) }

// TestCopiesAreBounded: the oldest of too many copies go, with what is in them. Those of
// replicas that gave way to another group stay.
func TestCopiesAreBounded(t *testing.T) {
	const day = 24 * time.Hour
	region := func(n int) shards.Shard { return shards.Shard{Region: world.RegionPos{X: int32(n)}} }
	aside := func(bytes int, ages ...time.Duration) (*Store, *jobs) {
		did := &jobs{}
		now := machine.Time(0).Add(100 * day)
		cfg := part.Config{}.WithDefaults()
		c := &Store{Part: part.Part{Cfg: &cfg}, disk: did}
		for i, age := range ages {
			at := now.Add(-age)
			c.Env = &stoppedEnv{now: &at}
			p := region(i)
			c.SetAside(p)(group.Copy{Space: group.RetiredSpace(p.Space()), Retired: true, Bytes: bytes})
			c.SetAside(p)(group.Copy{Space: group.SupersededSpace(p.Space(), group.Gen{Number: 1}), Bytes: bytes})
		}
		c.Beat(now)
		return c, did
	}
	for _, x := range []struct {
		name  string
		bytes int
		ages  []time.Duration
		want  int
	}{
		{"all are kept", 1, []time.Duration{1, 2, 6 * day}, 3},
		{"old ones go", 1, []time.Duration{1, 8 * day, 6 * day}, 2},
		{"too many bytes", maxCopiesBytes / 2, []time.Duration{3, 1, 2}, 2},
		{"too many", 1, make([]time.Duration, maxCopies+5), maxCopies},
	} {
		c, did := aside(x.bytes, x.ages...)
		if got := len(c.list) - len(x.ages); got != x.want || len(*did) != len(x.ages)-x.want {
			t.Errorf("%s: %d are left, %d were dropped", x.name, got, len(*did))
		}
		for _, j := range *did {
			if w := j.(machine.DiskWrite); len(w.Delete) != 1 || len(w.Then) != 1 || string(w.Delete[0]) != copyKey+w.Then[0].Space {
				t.Errorf("%s: dropped by %+v", x.name, w)
			}
		}
	}
}

func FuzzDecodeCopy(f *testing.F) {
	s := Saved{Copy: group.Copy{Space: "old.hall", Gen: group.Gen{Number: 1, Fork: 2}, Term: 3, Index: 4, Retired: true, Bytes: 5}, Shard: shards.Lobby, At: 6, Proof: Proof{7}}
	f.Add(s.encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		if got, ok := decodeCopy("old.hall", b); ok && got.Shard != shards.Lobby {
			t.Errorf("%+v", got)
		}
	})
	if got, ok := decodeCopy("old.hall", s.encode()); !ok || got != s {
		f.Errorf("%+v", got)
	}
	plain := slices.Concat([]byte{copyLayoutPlain}, s.encode()[1:50], []byte(shards.Lobby.Space()))
	s.Proof = Proof{}
	if got, ok := decodeCopy("old.hall", plain); !ok || got != s {
		f.Errorf("of the layout without proofs: %+v", got)
	}
}

// TestDatedCopies: of a shard that changes all the time, states of the last days stay, the
// older the fewer, and never none for long.
func TestDatedCopies(t *testing.T) {
	now := machine.Time(1000 * time.Hour)
	cfg := part.Config{}.WithDefaults()
	c := &Store{Part: part.Part{Env: &stoppedEnv{now: &now}, Cfg: &cfg}, disk: &jobs{}, reads: map[uint64]func([]machine.KV, error){}}
	p := shards.Shard{Region: world.RegionPos{X: 3}}
	for n := range 24 * 30 {
		now = now.Add(time.Hour)
		var s Saved
		s.Shard, s.Proof = p, Proof{byte(n), byte(n >> 8)}
		s.Retired = true
		c.date(s, []machine.KV{{Key: []byte{1}, Value: []byte{byte(n)}}})
		for tag, then := range c.reads {
			then(nil, nil)
			delete(c.reads, tag)
		}
		c.next = 0
		c.Beat(now)
		var ages []time.Duration
		for _, s := range c.list {
			ages = append(ages, now.Sub(s.At))
		}
		if len(ages) > 7 || n > 24*10 && (len(ages) < 4 || ages[len(ages)-1] >= dateEvery) {
			t.Fatalf("after %d hours: %v", n, ages)
		}
		day := false
		for _, a := range ages {
			day = day || a >= 18*time.Hour && a <= 60*time.Hour
		}
		if n > 24*3 && !day {
			t.Fatalf("after %d hours nothing of the day before is left: %v", n, ages)
		}
	}
}

// stoppedEnv is an environment of which only the time is used.
type stoppedEnv struct {
	machine.Env
	now *machine.Time
}

func (e *stoppedEnv) Now() machine.Time { return *e.now }

// TestKeptChangesAreNoState: a list of changes is not taken for a state that a shard could be
// continued from, and decodes as what was kept.
func TestKeptChangesAreNoState(t *testing.T) {
	now := machine.Time(1000 * time.Hour)
	cfg := part.Config{}.WithDefaults()
	var written []machine.KV
	c := &Store{Part: part.Part{Env: &stoppedEnv{now: &now}, Cfg: &cfg}, disk: &jobs{}, reads: map[uint64]func([]machine.KV, error){}}
	p := shards.Shard{Region: world.RegionPos{X: -3, Z: 2}}
	at := p.Region.Column(5).Origin().Add(3, 70, 9)
	changes := []world.BlockChange{{At: at, Was: world.Air, Now: world.Bricks}, {At: at.Add(1, 0, 0), Was: world.Stone, Now: world.Air}}
	aside := Saved{Shard: p}
	aside.Gen.Number, aside.Index = 1, 7
	c.keep(aside, changes)
	for tag, then := range c.reads {
		then(nil, nil)
		delete(c.reads, tag)
	}
	if _, ok := c.Newest(p); ok || len(c.list) != 1 || !c.list[0].isKept() || c.list[0].isDated() || c.list[0].IsOrigin() {
		t.Fatalf("%+v", c.list)
	}
	if back, ok := decodeCopy(c.list[0].Space, c.list[0].encode()); !ok || !back.isKept() {
		t.Errorf("after a restart it is %+v", back)
	}
	written = encodeKept(changes)
	if got, ok := decodeKept(p.Region, written); !ok || !slices.Equal(got, changes) {
		t.Errorf("%v %v", got, ok)
	}
	if _, ok := decodeKept(world.RegionPos{}, written); ok {
		t.Error("changes of another region are taken")
	}
}
