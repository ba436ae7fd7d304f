package decision

import (
	"strconv"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// The time of day is a decision like others: a statement on the topic Time says what
// time it was when it was issued.

// Dawn is the only time of day that players who are no operators state: when all sleep the
// lobby asks one of them to (package lobby). Only the last such statement is kept.
const Dawn = "day"

// IsDawn reports whether a statement says that the night is over. A client signs it only
// while its player is in bed.
func (s *Statement) IsDawn() bool { return s.Topic == Time && s.On && s.Text == Dawn }

// nightsLast reports whether operators had decided that nights are not slept through when
// a statement was issued.
func (l *Log) nightsLast(s *Statement) bool {
	var setting *Statement
	for at, o := range l.latest {
		if o.Topic == Setting && o.Name == SetSleep && l.ofOperator(at.issuer, o) && o.newer(setting) {
			setting = o
		}
	}
	return setting != nil && setting.On && setting.Text == "0" && s.Seq > setting.Seq
}

// newestTime is the time of day that counts.
func (l *Log) newestTime() (newest *Statement) {
	for at, s := range l.latest {
		if s.Topic == Time && l.mayIssue(at.issuer, s) && s.newer(newest) {
			newest = s
		}
	}
	return newest
}

// superseded reports whether a player has stated that a night was over, and a later time
// of day is known.
func (l *Log) superseded(issuer id.ID, s *Statement) bool {
	if s.Topic != Time || l.ofOperator(issuer, s) {
		return false
	}
	newest := l.newestTime()
	return newest != nil && newest != s && newest.newer(s)
}

// timeNames are times of the day in 24ths of a day since sunrise.
var timeNames = map[string]int64{"day": 1, "noon": 6, "night": 13, "midnight": 18}

// maxTicks bounds a time of day, whatever the length of a day.
const maxTicks = 1 << 31

// ParseTime reads a time of day, in ticks since sunrise.
func ParseTime(text string, day int64) (ticks int64, ok bool) {
	if hour, named := timeNames[text]; named {
		return hour * day / 24, true
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil && n > -maxTicks && n < maxTicks
}

func isTime(text string) bool {
	_, ok := ParseTime(text, 0)
	return ok
}

// TimeOffset is what is added to the world's tick for the time of day: 0 to day-1.
// tickAt is the tick at a time.
func (l *Log) TimeOffset(day int64, tickAt func(machine.Time) int64) int64 {
	s := l.Current(Time, id.ID{}, "")
	if s == nil || day <= 0 {
		return 0
	}
	ticks, _ := ParseTime(s.Text, day)
	return ((ticks-tickAt(s.Issued()))%day + day) % day
}

// Issued is the time of issue.
func (s *Statement) Issued() machine.Time {
	return machine.Time(time.Duration(s.Seq) * time.Millisecond)
}
