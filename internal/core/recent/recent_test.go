package recent

import "testing"

func TestWhatIsUsedStaysAndTheRestIsForgotten(t *testing.T) {
	m := New[int, int](10)
	for i := range 1000 {
		m.Put(i, i*i)
		if v, ok := m.Get(0); !ok || v != 0 {
			t.Fatalf("0 was looked up all the time and is forgotten after %d", i)
		}
		if v, ok := m.Get(i); !ok || v != i*i {
			t.Fatalf("%d is forgotten at once", i)
		}
		if m.Len() > 20 {
			t.Fatalf("%d entries are kept, 20 allowed", m.Len())
		}
	}
	if _, ok := m.Get(500); ok {
		t.Error("500 of 1000 is still known in a map of 10")
	}
	m.Put(999, 7)
	if v, _ := m.Get(999); v != 7 {
		t.Errorf("put again, 999 is %d", v)
	}
}
