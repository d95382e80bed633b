package notify

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pglogrepl"

	"github.com/kappagraph/kappa/work"
)

// Messages of a PostgreSQL 15, as its pgoutput sent them.
const (
	walBegin    = "B\x00\x00\x00\x00\x02N\xc4 \x00\x03\x03\xc6\x11'\x1b\xae\x00\x00\x02\xe7"
	walRelation = "R\x00\x00@lkg_api\x00job_events\x00d\x00\x05\x01job_id\x00\x00\x00\x00\x19\xff\xff\xff\xff\x01seq\x00\x00\x00\x00\x14\xff\xff\xff\xff\x00kind\x00\x00\x00\x00\x19\xff\xff\xff\xff\x00payload\x00\x00\x00\x0e\xda\xff\xff\xff\xff\x00at\x00\x00\x00\x04\xa0\xff\xff\xff\xff"
	walStatus   = "I\x00\x00@lN\x00\x05t\x00\x00\x00\x10job_0123456789abt\x00\x00\x00\x011t\x00\x00\x00\x06statust\x00\x00\x00({\"status\": \"approved\", \"previous\": null}t\x00\x00\x00\x1d2026-02-03 04:05:06.789123+00"
	walProgress = "I\x00\x00@lN\x00\x05t\x00\x00\x00\x10job_0123456789abt\x00\x00\x00\x012t\x00\x00\x00\bprogresst\x00\x00\x00\x0f{\"percent\": 50}t\x00\x00\x00\x162026-02-03 04:05:07+00"
	walCommit   = "C\x00\x00\x00\x00\x00\x02N\xc4 \x00\x00\x00\x00\x02N\xc4P\x00\x03\x03\xc6\x11'\x1b\xae"

	walOtherRelation = "R\x00\x00@\x80kg_api\x00leader\x00d\x00\x04\x01one\x00\x00\x00\x00\x10\xff\xff\xff\xff\x00term\x00\x00\x00\x00\x14\xff\xff\xff\xff\x00worker_id\x00\x00\x00\v\x86\xff\xff\xff\xff\x00since\x00\x00\x00\x04\xa0\xff\xff\xff\xff"
	walOtherUpdate   = "U\x00\x00@\x80N\x00\x04t\x00\x00\x00\x01tt\x00\x00\x00\x011nn"
	walOtherInsert   = "I\x00\x00@\x80N\x00\x04t\x00\x00\x00\x01tt\x00\x00\x00\x011nn"
	walType          = "Y\x00\x00A\x9cpublic\x00mood\x00"
	walDelete        = "D\x00\x00@lK\x00\x05t\x00\x00\x00\x10job_0123456789abt\x00\x00\x00\x011nnn"
	walJobs          = "M\x01\x00\x00\x00\x00\x02N\xc4\x20kg_jobs\x00\x00\x00\x00\x36job_0123456789ab:7,job_0123456789ac:12,,x,job_z:y,ab:7"
	walOtherMessage  = "M\x01\x00\x00\x00\x00\x02N\xc4\x20others\x00\x00\x00\x00\x02hi"
	walLooseMessage  = "M\x00\x00\x00\x00\x00\x02N\xc4\x20kg_jobs\x00\x00\x00\x00\x12job_0123456789ad:1"
	walTruncate      = "T\x00\x00\x00\x01\x00\x00\x00A\x9f"
)

func TestWALDecoder(t *testing.T) {
	t.Run("makes the events of a transaction of its rows", func(t *testing.T) {
		var d walDecoder
		for _, m := range []string{
			walBegin, walRelation, walStatus, walType, walOtherRelation, walOtherUpdate, walOtherInsert, walProgress, walDelete, walTruncate,
			walJobs, walOtherMessage, walLooseMessage,
		} {
			message := []byte(m)
			batch, err := d.decode(message)
			if err != nil || len(batch.events)+len(batch.jobs) != 0 || batch.ended || !d.open {
				t.Fatalf("%q: batch %+v, open %v, err %v", m, batch, d.open, err)
			}
			clear(message) // the driver uses its buffer again
		}
		batch, err := d.decode([]byte(walCommit))
		if err != nil || !batch.ended || d.open || batch.end.String() != "0/24EC450" {
			t.Fatalf("batch %+v, open %v, err %v", batch, d.open, err)
		}
		got, err := json.Marshal(batch.events)
		if err != nil {
			t.Fatal(err)
		}
		if jobs := fmt.Sprint(batch.jobs); jobs != "map[ab:7 job_0123456789ab:7 job_0123456789ac:12]" {
			t.Errorf("the transaction names %s", jobs)
		}
		const want = `[{"job_id":"job_0123456789ab","seq":1,"kind":"status","payload":` +
			`{"job_id":"job_0123456789ab","status":"approved","previous":null,"at":"2026-02-03T04:05:06.789Z"},"at":"2026-02-03T04:05:06.789Z"},` +
			`{"job_id":"job_0123456789ab","seq":2,"kind":"progress","payload":{"percent":50},"at":"2026-02-03T04:05:07.000Z"}]`
		if string(got) != want {
			t.Errorf("\n got %s\nwant %s", got, want)
		}
	})

	t.Run("refuses what makes no sense", func(t *testing.T) {
		long := strings.Replace(walProgress, "\x00\x00\x00\x0f", "\xff\xff\xff\xff", 1)
		for _, c := range []struct {
			name, message string
			before        []string
		}{
			{"an empty message", "", nil},
			{"an unknown type", "S\x00\x00\x00\x01\x00", nil},
			{"a row before its table", walProgress, []string{walBegin}},
			{"a row outside of a transaction", walProgress, []string{walRelation}},
			{"a begin within a transaction", walBegin, []string{walBegin}},
			{"a commit without a begin", walCommit, nil},
			{"a commit that was cut", walCommit[:20], []string{walBegin}},
			{"a table that was cut where the driver panics", walRelation[:len(walRelation)-3], []string{walBegin}},
			{"a table without a column", strings.Replace(walRelation, "payload", "unknown", 1), []string{walBegin}},
			{"a row that was cut", walProgress[:len(walProgress)-1], []string{walBegin, walRelation}},
			{"a row that was cut before its values", walProgress[:5], []string{walBegin, walRelation}},
			{"a row that claims to have 4 GB", long, []string{walBegin, walRelation}},
			{"a row without a value", strings.Replace(walProgress, "t\x00\x00\x00\x0f{\"percent\": 50}", "n", 1), []string{walBegin, walRelation}},
			{"a binary value", strings.Replace(walProgress, "t\x00\x00\x00\x0f", "b\x00\x00\x00\x0f", 1), []string{walBegin, walRelation}},
			{"a row of fewer values", strings.Replace(walProgress, "N\x00\x05", "N\x00\x04", 1), []string{walBegin, walRelation}},
			{"an old row", strings.Replace(walProgress, "lN\x00", "lO\x00", 1), []string{walBegin, walRelation}},
			{"a number that is none", strings.Replace(walProgress, "\x012t", "\x01xt", 1), []string{walBegin, walRelation}},
			{"a message outside of a transaction", walJobs, nil},
			{"a message that was cut", walJobs[:len(walJobs)-1], []string{walBegin}},
			{"a message that was cut in its prefix", walJobs[:14], []string{walBegin}},
			{"a message that claims to have 4 GB", strings.Replace(walJobs, "\x00\x00\x00\x36", "\xff\xff\xff\xff", 1), []string{walBegin}},
			{"a time that is none", strings.Replace(walProgress, "2026-02-03", "2026-22-03", 1), []string{walBegin, walRelation}},
			{"a status that is no object", strings.Replace(walStatus, "{\"status\"", "[\"status\"", 1), []string{walBegin, walRelation}},
		} {
			var d walDecoder
			for _, m := range c.before {
				if _, err := d.decode([]byte(m)); err != nil {
					t.Fatalf("%s: before it: %v", c.name, err)
				}
			}
			batch, err := d.decode([]byte(c.message))
			if err == nil || len(batch.events) != 0 || batch.ended {
				t.Errorf("%s: got %+v, err %v", c.name, batch, err)
			}
		}
	})

	t.Run("allocates what was sent, not what is claimed", func(t *testing.T) {
		long := []byte(strings.Replace(walProgress, "\x00\x00\x00\x0f", "\x7f\xff\xff\xff", 1))
		d := decoderWithin(t)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := d.decode(long); err == nil {
			t.Error("no error")
		}
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 1<<30 { // other tests run meanwhile
			t.Errorf("%d bytes allocated for a message of %d that claims 2 GB", n, len(long))
		}
	})
}

// decoderWithin returns a decoder within a transaction that knows the table.
func decoderWithin(t testing.TB) *walDecoder {
	t.Helper()
	d := &walDecoder{}
	for _, m := range []string{walBegin, walRelation} {
		if _, err := d.decode([]byte(m)); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// FuzzWALDecode feeds a stream of messages, each after its length in two bytes.
func FuzzWALDecode(f *testing.F) {
	pack := func(messages ...string) (packed []byte) {
		for _, m := range messages {
			packed = binary.BigEndian.AppendUint16(packed, uint16(len(m)))
			packed = append(packed, m...)
		}
		return packed
	}
	f.Add(pack(walBegin, walRelation, walStatus, walProgress, walCommit))
	f.Add(pack(walBegin, walJobs, walOtherMessage, walLooseMessage, walCommit))
	f.Add(pack(walBegin, walOtherRelation, walOtherUpdate, walOtherInsert, walType, walDelete, walTruncate, walCommit))
	f.Add(pack(walBegin, walRelation, walProgress, walCommit, walBegin, walProgress, walProgress, walCommit))
	f.Add(pack(walRelation[:40], walCommit[:9], "", "M\x00"))
	f.Fuzz(func(t *testing.T, packed []byte) {
		var d walDecoder
		for len(packed) >= 2 {
			size := min(int(binary.BigEndian.Uint16(packed)), len(packed)-2)
			message := slices.Clone(packed[2 : 2+size])
			packed = packed[2+size:]
			wasOpen, held := d.open, len(d.events)
			decode := d.decode
			if size > 0 && slices.Contains([]byte{byte(pglogrepl.MessageTypeInsert), byte(pglogrepl.MessageTypeMessage)}, message[0]) {
				decode = d.next // these are decoded without the driver, which is what may panic
			}
			batch, err := decode(message)
			if err != nil {
				return
			}
			checkBatch(t, batch, message, wasOpen, held)
		}
	})
}

// checkBatch checks the laws of what may be handed over.
func checkBatch(t *testing.T, batch walBatch, message []byte, wasOpen bool, held int) {
	t.Helper()
	if (len(batch.events) > 0 || batch.ended) && !wasOpen {
		t.Fatalf("%+v outside of a transaction", batch)
	}
	if batch.ended && len(batch.events) != held || len(batch.events) > held+1 {
		t.Fatalf("%d events after %d rows", len(batch.events), held)
	}
	before := fmt.Sprint(batch.events)
	clear(message)
	if after := fmt.Sprint(batch.events); after != before {
		t.Fatalf("the events share the message's memory: %s, then %s", before, after)
	}
	for _, e := range batch.events {
		if e.Kind != work.EventStatus {
			continue
		}
		if change, err := e.StatusChange(); err != nil || change.JobID != e.JobID {
			t.Fatalf("status event %+v: %v", e, err)
		}
	}
}

func BenchmarkWALDecode(b *testing.B) {
	d, message := decoderWithin(b), []byte(walProgress)
	for b.Loop() {
		if _, err := d.decode(message); err != nil {
			b.Fatal(err)
		}
	}
}
