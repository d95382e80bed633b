package notify

import (
	"encoding/json"
	"errors"
	"strings"
)

// maxNATSMessage is the longest message that is read or sent, in bytes.
const maxNATSMessage = 1024

// natsMessage is what goes over NATS: ids and names, never content. Fields that
// a later version adds are ignored.
type natsMessage struct {
	From string `json:"from"`           // process that sends it
	Name string `json:"name,omitempty"` // payload of the channel: a lane, a job, a schedule
}

// encode returns the message as it is sent, or an error when it is too long.
func (m natsMessage) encode() ([]byte, error) {
	b, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	if len(b) > maxNATSMessage {
		return nil, errors.New("too long for a message")
	}
	return b, nil
}

// decodeMessage reads a message. Others may publish on our subjects too: what is
// not ours is an error, whatever it is.
func decodeMessage(payload []byte) (natsMessage, error) {
	var m natsMessage
	if len(payload) > maxNATSMessage {
		return m, errors.New("too long for a message")
	}
	if err := json.Unmarshal(payload, &m); err != nil {
		return m, err
	}
	if m.From == "" {
		return m, errors.New("no sender")
	}
	return m, nil
}

// natsSubjects are the names under which messages go: <prefix>.jobs.<job id> for new
// events, <prefix>.<name> for a channel kg_<name>, and two of their own. Only ids
// are in a subject; names, in which anything may be, are in messages.
type natsSubjects struct{ prefix string }

// job returns the subject of a job, and of AllJobs that of every job.
func (s natsSubjects) job(id string) string { return s.prefix + ".jobs." + id }

// resync says that messages of the sender were lost.
func (s natsSubjects) resync() string { return s.prefix + ".resync" }

// probe is the subject of a job that is none: publishing and subscribing to it
// finds out whether we may.
func (s natsSubjects) probe() string { return s.job("probe") }

// channel returns the subject of a channel, and false for one that has none.
func (s natsSubjects) channel(channel string) (subject string, ok bool) {
	name, ok := strings.CutPrefix(channel, "kg_")
	if !ok || !safeToken(name) || name == "events" || name == "jobs" || name == "resync" {
		return "", false
	}
	return s.prefix + "." + name, true
}

// jobOf returns the job that a subject names.
func (s natsSubjects) jobOf(subject string) (id string, ok bool) {
	rest, ok := strings.CutPrefix(subject, s.prefix+".jobs.")
	return rest, ok && safeToken(rest)
}

// channelOf returns the channel that a subject stands for.
func (s natsSubjects) channelOf(subject string) (channel string, ok bool) {
	name, ok := strings.CutPrefix(subject, s.prefix+".")
	return "kg_" + name, ok && safeToken(name)
}

const maxToken = 128

// safeToken reports whether s may be one part of a subject: it has no dot, no
// space, no * or >, and nothing else that is not a letter, a digit, - or _.
func safeToken(s string) bool {
	if s == "" || len(s) > maxToken {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}
