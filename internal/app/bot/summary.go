package bot

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"time"
)

// Progress is how a run stands.
type Progress struct {
	Elapsed   time.Duration // since the first join
	Joined    int           // are in
	Failed    int           // did not come in, or were thrown out
	Waiting   int           // for room, because the world is full
	Frames    float64       // a second, of all bots, in the last second
	Moves     float64       // a second, delivered to all bots
	Bytes     float64       // a second, to all bots
	RoundTrip time.Duration // median of the last second
	Edits     int           // acknowledged so far
	Houses    int           // finished so far
}

// Summary is what a run has shown. The figures are of the time after all bots
// had come in.
type Summary struct {
	Players    int           `json:"players"` // that came in
	Failed     int           `json:"failed"`  // did not come in
	Waiting    int           `json:"waiting"` // for room, at the end
	Lost       int           `json:"lost"`    // were thrown out later
	Duration   time.Duration `json:"duration"`
	FrameRate  float64       `json:"frames_per_s"` // of each bot
	ByteRate   float64       `json:"bytes_per_s"`  // of each bot
	RoundTrip  Quantiles     `json:"round_trip"`
	LongestGap Quantiles     `json:"longest_gap"` // between two frames; one value for each bot
	MovesMade  uint64        `json:"moves_made"`
	MovesGot   uint64        `json:"moves_got"` // delivered to any bot
	MovesDue   uint64        `json:"moves_due"` // each made move, to everybody in the run
	Delivered  float64       `json:"delivered"` // MovesGot / MovesDue: a crowd in sight of each other reaches 1
	DeliveryHz float64       `json:"moves_per_s"`
	Corrected  uint64        `json:"corrections"` // of predicted bodies
	Edits      int           `json:"edits"`       // acknowledged
	Houses     int           `json:"houses"`      // finished
	Tunnelled  int           `json:"tunnelled"`   // metres
	// Refusals counts acts and joins that were refused, by code.
	Refusals map[string]int `json:"refusals"`
	Errors   map[string]int `json:"errors"`
}

// Quantiles of a sample.
type Quantiles struct {
	N                  int
	P50, P95, P99, Max time.Duration
}

func quantilesOf(v []time.Duration) Quantiles {
	if len(v) == 0 {
		return Quantiles{}
	}
	slices.Sort(v)
	at := func(q float64) time.Duration { return v[min(len(v)-1, int(q*float64(len(v))))] }
	return Quantiles{len(v), at(0.5), at(0.95), at(0.99), v[len(v)-1]}
}

func (q Quantiles) String() string {
	ms := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
	return fmt.Sprintf("median %.1f ms, p95 %.1f, p99 %.1f, max %.1f", ms(q.P50), ms(q.P95), ms(q.P99), ms(q.Max))
}

// Print writes the summary for a person.
func (s Summary) Print(w io.Writer) {
	fmt.Fprintf(w, "players      %d came in, %d did not, %d were lost\n", s.Players, s.Failed, s.Lost)
	if s.Waiting > 0 {
		fmt.Fprintf(w, "waiting      %d: the world is full\n", s.Waiting)
	}
	fmt.Fprintf(w, "measured     %.1f s\n", s.Duration.Seconds())
	fmt.Fprintf(w, "frames       %.1f a second for each; the longest gap: %v\n", s.FrameRate, s.LongestGap)
	fmt.Fprintf(w, "traffic      %.1f kB a second for each\n", s.ByteRate/1000)
	fmt.Fprintf(w, "round trip   %v\n", s.RoundTrip)
	fmt.Fprintf(w, "moves        %d made, %d delivered (%.2f million a second), %.2f %% of what all could have seen\n",
		s.MovesMade, s.MovesGot, s.DeliveryHz/1e6, 100*s.Delivered)
	fmt.Fprintf(w, "corrections  %d\n", s.Corrected)
	if s.Edits > 0 || s.Houses > 0 {
		fmt.Fprintf(w, "edits        %d acknowledged, %d houses, %d m of tunnels\n", s.Edits, s.Houses, s.Tunnelled)
	}
	counts(w, "refusals", s.Refusals)
	counts(w, "errors", s.Errors)
}

func counts(w io.Writer, title string, m map[string]int) {
	if len(m) == 0 {
		fmt.Fprintf(w, "%-12s none\n", title)
		return
	}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		fmt.Fprintf(w, "%-12s %6d  %s\n", title, m[k], k)
	}
}
