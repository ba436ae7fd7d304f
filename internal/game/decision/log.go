package decision

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

const (
	// MaxStatements bounds a log, MaxOperators those who may add to it.
	MaxStatements = 4096
	MaxOperators  = 256
	// perIssuer leaves room for others.
	perIssuer = MaxStatements / 2
	// maxOfPlayers bounds what players say of their own land, maxOfPlayer what one does.
	// It is counted besides MaxStatements, so that it takes no room from operators.
	maxOfPlayers = 2048
	maxOfPlayer  = 48
	// slack is how far clocks may differ.
	slack = 10 * time.Minute
	// afterEnd is how long a statement that has ended is kept: until no node's clock
	// takes it for one in force.
	afterEnd = 24 * time.Hour
)

// slot is a register: the latest statement of an issuer about something.
type slot struct {
	issuer id.ID
	about
}

// Log is a set of statements and the state that follows from it. It is not safe
// for concurrent use.
type Log struct {
	world  id.ID
	root   id.ID
	latest map[slot]*Statement
	issued map[id.ID]int // statements of each issuer

	ranks   map[id.ID]int        // of those with authority
	kept    map[id.ID]uint64     // former operators: up to which Seq their decisions count
	roles   map[id.ID]Role       // that operators have given
	current map[about]*Statement // what counts, but for Operator

	moderated map[id.ID]uint64 // former moderators, as kept
	ofPlayers int              // statements about players' own land
}

// New returns the empty log of a world; root is the key of the founder's node.
func New(world id.ID, root [32]byte) *Log {
	l := &Log{world: world, root: id.Of(root[:]), latest: map[slot]*Statement{}, issued: map[id.ID]int{}}
	l.fold()
	return l
}

// World is the world that the log is of.
func (l *Log) World() id.ID { return l.world }

// Root is the id of the founder's key.
func (l *Log) Root() id.ID { return l.root }

// Merge adds statements, in any order, and returns those that were new and count
// now. Statements that do not count are left out; the error is about the first
// of them.
func (l *Log) Merge(list []*Statement, now time.Time) (fresh []*Statement, err error) {
	wait := slices.Clone(list)
	// Roles first: they say whose other statements count.
	slices.SortStableFunc(wait, compare)
	refused := map[*Statement]error{}
	for again := true; again; { // each round follows the authority one rank further
		again = false
		wait = slices.DeleteFunc(wait, func(s *Statement) bool {
			why := l.add(s, now)
			refused[s] = why
			if why == nil {
				fresh, again = append(fresh, s), true
			}
			return why == nil
		})
	}
	if len(fresh) > 0 {
		l.prune(now)
		l.count()
		fresh = slices.DeleteFunc(fresh, func(s *Statement) bool { return l.latest[l.slot(s)] != s })
	}
	for _, s := range list {
		if why := refused[s]; why != nil && err == nil {
			err = why
		}
	}
	return fresh, err
}

// compare orders statements for a merge: about roles first, then by time.
func compare(a, b *Statement) int {
	role := func(s *Statement) int {
		switch s.Topic {
		case Operator:
			return 0
		case Appoint:
			return 1
		}
		return 2
	}
	return cmp.Or(cmp.Compare(role(a), role(b)), cmp.Compare(a.Seq, b.Seq), bytes.Compare(a.Signature[:], b.Signature[:]))
}

func (l *Log) slot(s *Statement) slot { return slot{s.By(), s.about()} }

// add puts a statement into its register. Cheap checks come first: the signature
// is verified only of somebody who has authority.
func (l *Log) add(s *Statement, now time.Time) error {
	at := l.slot(s)
	old := l.latest[at]
	switch err := s.check(); {
	case err != nil:
		return err
	case s.World != l.world:
		return ErrWorld
	case s.Seq > uint64(now.Add(slack).UnixMilli()):
		return ErrTime
	case !l.mayIssue(at.issuer, s):
		return ErrAuthority
	case !s.newer(old) || s.ended(now) || l.superseded(at.issuer, s):
		return ErrOld
	case old == nil && s.ofPlayer() && (l.ofPlayers >= maxOfPlayers || l.issued[at.issuer] >= maxOfPlayer && !l.ofOperator(at.issuer, s)):
		return fmt.Errorf("%w: %d statements about land, %d of this issuer", ErrFull, l.ofPlayers, l.issued[at.issuer])
	case old == nil && !s.ofPlayer() && (len(l.latest)-l.ofPlayers >= MaxStatements || l.issued[at.issuer] >= perIssuer):
		return fmt.Errorf("%w: %d statements, %d of this issuer", ErrFull, len(l.latest), l.issued[at.issuer])
	case old == nil && s.Topic == Operator && s.On && len(l.ranks) > MaxOperators:
		return fmt.Errorf("%w: %d operators", ErrFull, len(l.ranks)-1)
	}
	if err := s.verify(); err != nil {
		return err
	}
	if old == nil {
		l.issued[at.issuer]++
		if s.ofPlayer() {
			l.ofPlayers++
		}
	}
	l.latest[at] = s
	switch s.Topic {
	case Operator:
		l.fold()
	case Appoint:
		l.foldRoles()
	}
	return nil
}

func (s *Statement) ended(now time.Time) bool { return s.Over(now.Add(-afterEnd)) }

// mayIssue reports whether what an issuer says counts.
func (l *Log) mayIssue(issuer id.ID, s *Statement) bool {
	return l.ofOperator(issuer, s) || l.byRole(issuer, s)
}

// prune removes what does not count any more, and what has ended.
func (l *Log) prune(now time.Time) {
	for at, s := range l.latest { // the order does not matter
		if !l.mayIssue(at.issuer, s) || s.ended(now) || l.superseded(at.issuer, s) {
			delete(l.latest, at)
			if s.ofPlayer() {
				l.ofPlayers--
			}
			if l.issued[at.issuer]--; l.issued[at.issuer] == 0 {
				delete(l.issued, at.issuer)
			}
		}
	}
}

// fold works out who has authority: rank by rank, so that nobody's authority
// depends on somebody's below.
func (l *Log) fold() {
	l.ranks = map[id.ID]int{l.root: 0}
	words := map[id.ID][]*Statement{} // about each player
	for _, s := range l.latest {
		if s.Topic == Operator {
			words[s.Subject] = append(words[s.Subject], s)
		}
	}
	for rank := 1; ; rank++ {
		var made []id.ID
		for who, said := range words { // nobody's rank depends on others of the same
			if _, has := l.ranks[who]; !has && l.granted(said) {
				made = append(made, who)
			}
		}
		if len(made) == 0 {
			break
		}
		for _, who := range made {
			l.ranks[who] = rank
		}
	}
	l.kept = map[id.ID]uint64{}
	for who, said := range words {
		if _, has := l.ranks[who]; has {
			continue
		}
		if s := l.newest(said); s != nil && !s.On && s.Keep {
			l.kept[who] = s.Seq
		}
	}
	l.foldRoles()
}

// granted reports whether those with a rank by now say that somebody is an
// operator: their latest word is a grant.
func (l *Log) granted(said []*Statement) bool {
	s := l.newest(said)
	return s != nil && s.On
}

// newest is the latest word of those who have a rank.
func (l *Log) newest(said []*Statement) (found *Statement) {
	for _, s := range said {
		if _, has := l.ranks[s.By()]; has && s.newer(found) {
			found = s
		}
	}
	return found
}

// count works out which statement counts about each subject, once who has authority
// is known.
func (l *Log) count() {
	l.current = map[about]*Statement{}
	for at, s := range l.latest {
		if s.Topic != Operator && l.mayIssue(at.issuer, s) && s.newer(l.current[at.about]) {
			l.current[at.about] = s
		}
	}
}

// All returns the statements in the order in which another log takes them best.
func (l *Log) All() []*Statement {
	out := make([]*Statement, 0, len(l.latest))
	for _, s := range l.latest {
		out = append(out, s)
	}
	slices.SortFunc(out, compare)
	return out
}

// Digest is a hash of the set: of two logs with the same the state is the same.
func (l *Log) Digest() (d [32]byte) {
	h := sha256.New()
	for _, s := range l.All() {
		h.Write(s.Signature[:])
	}
	h.Sum(d[:0])
	return d
}

// Key names the register of a statement, for a store that keeps the latest of
// each.
func (s *Statement) Key() string {
	a := s.about()
	sum := sha256.Sum256(append(a.subject[:], a.name...))
	by := s.By()
	return fmt.Sprintf("%s/%d/%s", hex.EncodeToString(by[:8]), s.Topic, hex.EncodeToString(sum[:10]))
}
