package notify

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// FuzzNATSMessage gives messages of strangers to a process: whatever they are,
// only the ids of jobs reach the sink, and only payloads the handlers.
func FuzzNATSMessage(f *testing.F) {
	f.Add("kg.jobs.job_1", []byte(`{"from":"b"}`))
	f.Add("kg.jobs.a.b", []byte(`{"from":"b"}`))
	f.Add("kg.jobs.*", []byte(`{"from":"b"}`))
	f.Add("kg.jobs.probe", []byte(`{"from":"b"}`))
	f.Add("kg.jobs.", []byte(`{"from":"b"}`))
	f.Add("kg.lanes", []byte(`{"from":"b","name":"my lane"}`))
	f.Add("kg.lanes", []byte(`{"from":"me","name":"own"}`))
	f.Add("kg.cancel", []byte(`{"from":"b","name":"\u0000"}`))
	f.Add("kg.resync", []byte(`{"from":"b"}`))
	f.Add("kg.events", []byte(`{"from":"b"}`))
	f.Add("other", []byte(`{}`))
	f.Add("", []byte(nil))
	f.Fuzz(func(t *testing.T, subject string, payload []byte) {
		e := newEar()
		n, err := NewNATS(NATSConfig{
			Options: NATSOptions{URL: "host"}, ID: "me", Sink: e, Log: quiet,
			Handle: map[string]func(string){ChannelLanes: e.handle(ChannelLanes), ChannelCancel: e.handle(ChannelCancel)},
		})
		if err != nil {
			t.Fatal(err)
		}
		lost := 0
		n.hear(&nats.Msg{Subject: subject, Data: payload}, func() { lost++ })
		reached := len(e.hints) + len(e.calls) + lost
		if stats := n.Stats(); stats.Heard != int64(reached) || stats.Heard+stats.Ignored > 1 || reached > 1 {
			t.Errorf("%q on %q: %+v, reached %d", payload, subject, stats, reached)
		}
		message, err := decodeMessage(payload)
		if reached > 0 && (err != nil || message.From == "" || message.From == "me") {
			t.Errorf("%q on %q reached somebody", payload, subject)
		}
		for id := range e.hints {
			if !safeToken(id) || subject != "kg.jobs."+id {
				t.Errorf("%q led to a hint for %q", subject, id)
			}
		}
		if err != nil {
			return
		}
		again, err := message.encode()
		if err != nil {
			return // longer than it was, with what JSON escapes
		}
		if back, err := decodeMessage(again); err != nil || back != message {
			t.Errorf("%+v came back as %+v, %v", message, back, err)
		}
	})
}

func TestNATSOutbox(t *testing.T) {
	t.Parallel()

	t.Run("the same thing twice is sent once", func(t *testing.T) {
		o := newNATSOutbox()
		o.add("job_1", "job_2", "job_1")
		o.relay(natsCall{ChannelLanes, "a"})
		o.relay(natsCall{ChannelLanes, "a"})
		if b := o.take(); len(b.jobs) != 2 || len(b.calls) != 1 || b.everything {
			t.Errorf("got %+v", b)
		}
		if b := o.take(); !b.empty() {
			t.Errorf("taken twice: %+v", b)
		}
	})

	t.Run("ids that cannot be in a subject are left out", func(t *testing.T) {
		o := newNATSOutbox()
		o.add("", "a.b", "a b", "*", ">", "ä", "a\r\nPUB x 0", strings.Repeat("x", 129), "job_1")
		if b := o.take(); len(b.jobs) != 1 {
			t.Errorf("got %v", b.jobs)
		}
	})

	t.Run("what does not fit becomes a resync", func(t *testing.T) {
		o := newNATSOutbox()
		for i := range maxOutbox {
			o.add(fmt.Sprint("job_", i))
		}
		first := o.take()
		if first.everything || len(first.jobs) != maxOutbox {
			t.Fatalf("%d jobs, everything %v", len(first.jobs), first.everything)
		}
		o.add("one more")
		o.add("job_x")
		o.putBack(first)
		o.add("job_y")
		o.relay(natsCall{ChannelLanes, "a"})
		if b := o.take(); !b.everything || len(b.jobs)+len(b.calls) != 0 {
			t.Errorf("%d jobs, everything %v", len(b.jobs), b.everything)
		}
	})

	t.Run("what could not be sent is kept", func(t *testing.T) {
		o := newNATSOutbox()
		o.add("job_1")
		o.relay(natsCall{ChannelCancel, "job_2"})
		b := o.take()
		o.add("job_3")
		o.putBack(b)
		if b := o.take(); len(b.jobs) != 2 || len(b.calls) != 1 {
			t.Errorf("got %+v", b)
		}
		o.resync()
		b = o.take()
		o.add("job_4")
		o.putBack(b)
		if b := o.take(); !b.everything {
			t.Errorf("got %+v, want everything", b)
		}
	})
}

func TestNATSDelay(t *testing.T) {
	t.Parallel()
	for n, most := range map[int]time.Duration{
		1: 100 * time.Millisecond, 2: 200 * time.Millisecond, 6: 3200 * time.Millisecond, 7: 5 * time.Second, 1 << 40: 5 * time.Second,
	} {
		for range 100 {
			if d := natsDelay(n); d < most/2 || d > most {
				t.Errorf("pause %d is %s, want %s to %s", n, d, most/2, most)
			}
		}
	}
}
