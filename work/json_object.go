package work

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

// jsonObject writes a JSON object whose members follow from the value, in the order
// in which they are added.
type jsonObject struct{ buf []byte }

// number adds a member with a whole number.
func (o *jsonObject) number(name string, value int) {
	o.name(name)
	o.buf = strconv.AppendInt(o.buf, int64(value), 10)
}

// text adds a member with a string.
func (o *jsonObject) text(name, value string) {
	o.name(name)
	o.buf = append(o.buf, jsonText(value)...)
}

// bytes returns the object.
func (o *jsonObject) bytes() []byte {
	if len(o.buf) == 0 {
		return []byte("{}")
	}
	return append(o.buf, '}')
}

func (o *jsonObject) name(name string) {
	separator := byte(',')
	if len(o.buf) == 0 {
		separator = '{'
	}
	o.buf = append(o.buf, separator)
	o.buf = append(o.buf, jsonText(name)...)
	o.buf = append(o.buf, ':')
}

// jsonText returns s as JSON. The encoder of the object decides about the escapes that
// HTML needs.
func jsonText(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) //nolint:errchkjson // of a string it cannot fail
	return strings.TrimSuffix(b.String(), "\n")
}

// eachMember calls do with each member of a JSON object, in order.
func eachMember(object []byte, do func(name string, value json.RawMessage) error) error {
	dec := json.NewDecoder(bytes.NewReader(object))
	if start, err := dec.Token(); err != nil || start != json.Delim('{') {
		return errors.Join(err, errors.New("it is no JSON object"))
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return err
		}
		if err := do(name.(string), value); err != nil { // of an object each name is a string
			return err
		}
	}
	return nil
}
