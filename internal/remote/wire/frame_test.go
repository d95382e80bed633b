package wire

import (
	"bytes"
	"encoding/hex"
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestDecodeText(t *testing.T) {
	for text, want := range map[string]Frame{
		`["4","5","worker:queue","claim",{"demand":1}]`: {JoinRef: "4", Ref: "5", Topic: TopicQueue, Event: "claim", Payload: []byte(`{"demand":1}`)},
		`[null,"6","phoenix","heartbeat",{}]`:           {Ref: "6", Topic: TopicPhoenix, Event: EventHeartbeat, Payload: []byte(`{}`)},
		`["4",null,"worker:queue","work-available",{}]`: {JoinRef: "4", Topic: TopicQueue, Event: EventWorkAvailable, Payload: []byte(`{}`)},
	} {
		got, err := DecodeText([]byte(text))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %+v (%v), want %+v", text, got, err, want)
		}
		if again := EncodeText(got); string(again) != text {
			t.Errorf("%s is written as %s", text, again)
		}
	}
	for _, text := range []string{
		"", "{}", "[]", `["1","2","t","e"]`, `["1","2","t","e",{},1]`, `["1","2","t","e",[]]`, `["1","2","t","e",null]`,
		`[1,"2","t","e",{}]`, `["1",2,"t","e",{}]`, `["1","2",null,"e",{}]`, `["1","2","t",5,{}]`,
		`["` + strings.Repeat("1", 33) + `","2","t","e",{}]`,
	} {
		if _, err := DecodeText([]byte(text)); !errors.Is(err, ErrFrame) {
			t.Errorf("%s: %v, want that it is no frame", text, err)
		}
	}
}

// TestBinaryReply is the worked example of the protocol.
func TestBinaryReply(t *testing.T) {
	want, _ := hex.DecodeString("0101021402" + "39" + "3132" + "72756e3a6a6f625f356231633064653961376632" + "6f6b" + "7b226e223a317d")
	to := Frame{JoinRef: "9", Ref: "12", Topic: "run:job_5b1c0de9a7f2"}
	got := EncodeBinaryReply(to, StatusOK, []byte(`{"n":1}`))
	if !bytes.Equal(got, want) || len(got) != 37 {
		t.Errorf("%x, want %x", got, want)
	}
	back, err := DecodeServerBinary(got)
	if err != nil || back.Status != StatusOK || back.Ref != "12" || back.Topic != to.Topic || string(back.Binary) != `{"n":1}` {
		t.Errorf("it is read as %+v (%v)", back, err)
	}
}

func TestBinaryPush(t *testing.T) {
	f := Frame{JoinRef: "4", Ref: "5", Topic: TopicQueue, Event: "claim", Payload: []byte(`{"demand":1}`)}
	message := EncodeBinaryPush(f)
	got, err := DecodeClientBinary(message)
	if err != nil || !reflect.DeepEqual(got, f) {
		t.Errorf("%+v (%v), want %+v", got, err, f)
	}
	for end := range len(message) - len(f.Payload) {
		if _, err := DecodeClientBinary(message[:end]); !errors.Is(err, ErrFrame) {
			t.Errorf("cut after %d bytes: %v, want that it is no frame", end, err)
		}
	}
	if _, err := DecodeClientBinary([]byte{1, 0, 0, 0, 0}); !errors.Is(err, ErrFrame) {
		t.Errorf("a reply of a client: %v", err)
	}
}

func FuzzFrames(f *testing.F) {
	f.Add([]byte(`["4","5","worker:queue","claim",{"demand":1}]`))
	f.Add([]byte{0, 1, 1, 1, 1, 'a', 'b', 'c', 'd', '{', '}'})
	f.Fuzz(func(t *testing.T, message []byte) {
		if frame, err := DecodeText(message); err == nil {
			again, err := DecodeText(EncodeText(frame))
			if err != nil || again.Topic != frame.Topic || again.Ref != frame.Ref || again.Event != frame.Event {
				t.Errorf("%q is %+v, and then %+v (%v)", message, frame, again, err)
			}
		}
		if frame, err := DecodeClientBinary(message); err == nil {
			if again := EncodeBinaryPush(frame); !bytes.Equal(again, message) {
				t.Errorf("%x is written as %x", message, again)
			}
		}
		_, _ = DecodeServerBinary(message)
	})
}
