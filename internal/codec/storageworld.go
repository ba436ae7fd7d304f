package codec

import (
	"github.com/voxelpopuli/voxelpopuli/internal/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/storage"
)

// The world in messages of the storage.

// static is what is not replayed.
func (f *form) static(objects *[]*storage.Object, batches *[]*storage.Batch) {
	list(f, objects, maxObjects, 2, object)
	list(f, batches, maxBatches, 4, batch)
	if f.err != nil {
		return
	}
	for _, o := range *objects {
		if !o.Static {
			f.fail("an object that is replayed among the static ones")
			return
		}
	}
	if !storage.Ascend(*objects) {
		f.fail("objects that do not ascend by their ids")
	}
}

// snapshot is what of a part of the world lies in an area.
func (f *form) snapshot(v **storage.Snapshot, area *overlay.Area) {
	has := *v != nil
	if f.bool(&has); !has {
		return
	}
	var s storage.Snapshot
	var c storage.Carried
	world := f.codec.rules.world
	if !f.reading {
		s = **v
		c = s.Carry(area, world)
	}
	signed(f, &s.Of)
	f.area(&s.Cover, true)
	list(f, &c.Unsure, maxObjects, 1, num)
	list(f, &c.Objects, maxObjects, 2, object)
	list(f, &c.Woken, maxObjects, 2, object)
	if f.err != nil {
		return
	}
	made, err := storage.Received(s.Of, &s.Cover, area, c, world)
	if err != nil {
		f.fail("%v", err)
	} else if f.reading {
		*v = made
	}
}

// object is an object in the encoding of the world's rules.
func object(f *form, v **storage.Object) {
	t := f.codec.rules
	t.mu.Lock()
	defer t.mu.Unlock()
	var b []byte
	if !f.reading {
		if *v == nil {
			f.fail("no object")
			return
		}
		b = t.Rules.AppendObject(nil, *v)
	}
	if f.bytes(&b, maxObject); !f.reading || f.err != nil {
		return
	}
	o, err := t.Rules.DecodeObject(b)
	if err != nil {
		f.fail("%v", err)
		return
	}
	*v = o
}
