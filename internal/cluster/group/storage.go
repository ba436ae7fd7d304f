package group

import (
	"fmt"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"
)

// storage is the log as the library reads it: what has been synced. The library's
// snapshots are only metadata; the content of a snapshot travels in chunks
// (snapshotsender.go).
type storage struct {
	*raft.MemoryStorage
	hard  *pb.HardState
	now   func() *shared // the state as applied
	bytes int            // of the entries
}

func newStorage(base, term uint64, hard *pb.HardState, now func() *shared) *storage {
	s := &storage{MemoryStorage: raft.NewMemoryStorage(), hard: hard, now: now}
	s.restore(base, term)
	return s
}

// restore begins the log anew after a snapshot.
func (s *storage) restore(base, term uint64) {
	if base > 0 {
		s.MemoryStorage = raft.NewMemoryStorage()
		meta := &pb.SnapshotMetadata{Index: new(base), Term: new(term), ConfState: &pb.ConfState{}}
		if err := s.ApplySnapshot(&pb.Snapshot{Metadata: meta}); err != nil {
			panic(err) // an empty storage accepts any
		}
	}
	s.bytes = 0
}

// InitialState implements raft.Storage.
func (s *storage) InitialState() (*pb.HardState, *pb.ConfState, error) {
	return s.hard, s.now().conf(), nil
}

// Snapshot implements raft.Storage.
func (s *storage) Snapshot() (*pb.Snapshot, error) {
	now := s.now()
	return &pb.Snapshot{Metadata: &pb.SnapshotMetadata{
		Index: new(now.Applied), Term: new(now.AppliedTerm), ConfState: now.conf(),
	}}, nil
}

func (s *storage) add(es []*pb.Entry) {
	if len(es) == 0 {
		return
	}
	last, _ := s.LastIndex()
	for i := es[0].GetIndex(); i <= last; i++ { // they are replaced
		s.bytes -= s.size(i)
	}
	_ = s.Append(es) // it returns no errors
	for _, e := range es {
		s.bytes += len(e.GetData())
	}
}

// truncate drops the entries up to base, an index that the log has.
func (s *storage) truncate(base uint64) {
	first, _ := s.FirstIndex()
	for i := base; ; i-- {
		s.bytes -= s.size(i)
		if i <= first {
			break
		}
	}
	_ = s.Compact(base)
}

func (s *storage) size(i uint64) int {
	es, err := s.Entries(i, i+1, 1)
	if err != nil || len(es) == 0 {
		return 0
	}
	return len(es[0].GetData())
}

// silentLogger is the library's log: silent, but panics stay panics.
type silentLogger struct{}

type raftPanic string

func (p raftPanic) Error() string { return string(p) }

func (silentLogger) Debug(...any)                   {}
func (silentLogger) Debugf(string, ...any)          {}
func (silentLogger) Error(...any)                   {}
func (silentLogger) Errorf(string, ...any)          {}
func (silentLogger) Info(...any)                    {}
func (silentLogger) Infof(string, ...any)           {}
func (silentLogger) Warning(...any)                 {}
func (silentLogger) Warningf(string, ...any)        {}
func (silentLogger) Fatal(v ...any)                 { panic(raftPanic(fmt.Sprint(v...))) }
func (silentLogger) Fatalf(format string, v ...any) { panic(raftPanic(fmt.Sprintf(format, v...))) }
func (silentLogger) Panic(v ...any)                 { panic(raftPanic(fmt.Sprint(v...))) }
func (silentLogger) Panicf(format string, v ...any) { panic(raftPanic(fmt.Sprintf(format, v...))) }
