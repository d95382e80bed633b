package index

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestReadersDuringMerges reads all words of candidates while passages come and go, files are
// merged and removed, and the garbage collector unmaps those that nobody reads. A file that is
// unmapped too early ends the process.
func TestReadersDuringMerges(t *testing.T) {
	x := openIn(t, t.TempDir(), "here")
	x.least = 8
	for i := range int32(300) {
		if err := x.Apply([]Entry{entry(i, fmt.Sprintf("shared word%d", i))}, nil); err != nil {
			t.Fatal(err)
		}
	}
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			var p Passage
			for {
				select {
				case <-stop:
					return
				default:
				}
				v := x.View()
				found, err := v.Candidates(t.Context(), Query{Terms: []Term{{Texts, "shared", 1}}, Limit: 1000})
				if err != nil || len(found) != 300 {
					t.Errorf("%d candidates, %v", len(found), err)
					return
				}
				for i := range found {
					v.Read(&found[i], &p)
					if p.Words[0].Text != "shared" || !strings.HasPrefix(p.Words[1].Text, "word") {
						t.Errorf("read %v", p.Words)
						return
					}
				}
			}
		})
	}
	for end := time.Now().Add(time.Second); time.Now().Before(end); {
		for i := range int32(100) {
			if err := x.Apply([]Entry{entry(i, fmt.Sprintf("shared word%d again", i))}, nil); err != nil {
				t.Fatal(err)
			}
		}
		mergeAll(t, x)
		runtime.GC()
	}
	close(stop)
	readers.Wait()
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestUnmapped sees that a file stays mapped as long as a View reads it, and no longer.
func TestUnmapped(t *testing.T) {
	before := settled(0)
	x := openIn(t, t.TempDir(), "here")
	x.least = 1
	for i := range int32(3) {
		if err := x.Apply([]Entry{entry(i, "a river")}, nil); err != nil {
			t.Fatal(err)
		}
	}
	one := settled(before + 1)
	var p Passage
	both := func() int64 {
		v := x.View()
		mergeAll(t, x)
		both := settled(one + 1)
		if both <= one {
			t.Errorf("%d bytes are mapped while a View reads the old files, before %d", both, one)
		}
		found, err := v.Candidates(t.Context(), Query{Terms: []Term{{Texts, "river", 1}}, Limit: 1})
		if err != nil || len(found) != 1 {
			t.Fatalf("%v, %v", found, err)
		}
		v.Read(&found[0], &p)
		return both
	}()
	if now := settled(one + 1); now <= one {
		t.Errorf("%d bytes are mapped while a Passage has their strings", now)
	}
	if p.Words[1].Text != "river" {
		t.Errorf("read %v", p.Words)
	}
	p = Passage{}
	if now := settled(0); now >= both {
		t.Errorf("%d bytes are mapped after nobody reads the old files, before %d", now, both)
	}
	runtime.KeepAlive(x)
	x.Close()
}

// settled collects garbage until no more than least bytes are mapped, or for a while, and
// returns how many are.
func settled(least int64) int64 {
	poll := time.NewTicker(time.Millisecond)
	defer poll.Stop()
	for range 20 {
		runtime.GC()
		if mapped.Load() <= least {
			break
		}
		<-poll.C
	}
	return mapped.Load()
}
