package http

import (
	"encoding/json"
	"errors"
	"io"
	nethttp "net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/danielgtaylor/huma/v2/validation"
	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa"
)

// JSONType is the content type of an answer in JSON.
const JSONType = "application/json; charset=utf-8"

// jsonAPI is huma's, speaking Kappa's JSON and answering with Kappa's problems.
// Errors are translated here and not by huma.NewError, which is a global.
type jsonAPI struct{ huma.API }

func newAPI(r *Router, version string) huma.API {
	cfg := huma.Config{
		OpenAPI:       newDocument(version),
		Formats:       map[string]huma.Format{"application/json": {Unmarshal: unmarshal}, "json": {Unmarshal: unmarshal}},
		DefaultFormat: "application/json",
	}
	cfg.AllowAdditionalPropertiesByDefault = true // clients of answers ignore what they do not know; see refuseUnknown
	return &jsonAPI{huma.NewAPI(cfg, adapter{r})}
}

func newHumaContext(op *huma.Operation, c *gin.Context) huma.Context {
	return humagin.NewContext(op, c)
}

// Negotiate chooses JSON, whatever the client accepts: there is nothing else.
func (a *jsonAPI) Negotiate(string) (string, error) { return JSONType, nil }

// JSONWriter is a body that writes itself as JSON, piece by piece, where it would be large
// as a whole. When it cannot go on, the connection is cut, so that the client does not take
// what it has for all of it.
type JSONWriter interface{ WriteJSON(w io.Writer) error }

// Marshal writes v as JSON. It reports no error: what cannot be encoded panics
// before anything is written, and a client that has gone needs no answer.
func (a *jsonAPI) Marshal(w io.Writer, _ string, v any) error {
	if pieces, ok := v.(JSONWriter); ok {
		writePieces(w, pieces)
		return nil
	}
	_, _ = w.Write(EncodeJSON(v))
	return nil
}

func writePieces(w io.Writer, v JSONWriter) {
	if v.WriteJSON(w) != nil {
		panic(nethttp.ErrAbortHandler)
	}
}

// Transform turns huma's own errors into problems.
func (a *jsonAPI) Transform(ctx huma.Context, _ string, v any) (any, error) {
	model, ok := v.(*huma.ErrorModel)
	if !ok {
		return v, nil
	}
	ctx.SetHeader("Content-Type", problemType)
	return translate(model).in(exchangeOf(ctx.Context())), nil
}

// misfit is between the name of a member and its value in unmarshal's errors.
const misfit = ": must be in range, got "

// unmarshal reads JSON. Its errors name the member, not Go's types.
func unmarshal(data []byte, v any) error {
	err := json.Unmarshal(data, v)
	if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		member := mismatch.Field[strings.LastIndexByte(mismatch.Field, '.')+1:]
		return errors.New(member + misfit + mismatch.Value)
	}
	return err
}

// translate says in Kappa's words what huma found wrong with a request.
func translate(model *huma.ErrorModel) *problem {
	p := &problem{Status: model.Status, Detail: model.Detail}
	var sentences []string
	for _, e := range model.Errors {
		f := translateField(e)
		sentences = append(sentences, fieldName(f.Loc)+": "+f.Msg)
		p.Errors = append(p.Errors, f)
	}
	switch {
	case model.Status == statusOf(kappa.CodeUnsupported):
		p.Detail, p.Errors = "The body must be sent as Content-Type: application/json", nil
	case model.Status == statusOf(kappa.CodeMalformed) && len(model.Errors) > 0:
		p.Detail, p.Errors = "The body is not valid JSON: "+model.Errors[0].Message, nil
	case model.Status == statusOf(kappa.CodeMalformed):
		p.Detail = "A JSON body is required"
	case len(sentences) > 0:
		p.Detail = strings.Join(sentences, "; ")
	}
	return p
}

func translateField(e *huma.ErrorDetail) fieldProblem {
	in, name, _ := strings.Cut(e.Location, ".")
	f := fieldProblem{Loc: location(in, name), Msg: rule(e.Message), Type: "type_error"}
	if name != "" { // else it is the whole body, and what is in it may be a secret
		f.Input = short(e.Value)
	}
	if after, ok := strings.CutPrefix(e.Message, requiredPrefix); ok {
		member, _, _ := strings.Cut(after, " ")
		return fieldProblem{Loc: append(f.Loc, member), Msg: "is required", Type: "missing"}
	}
	if member, value, ok := strings.Cut(e.Message, misfit); ok {
		return fieldProblem{Loc: append(f.Loc, member), Msg: misfit[2:] + value, Type: f.Type}
	}
	if e.Message == validation.MsgUnexpectedProperty {
		f.Type, f.Input = "unknown", nil
	}
	return f
}

// requiredPrefix begins huma's message about a member that is missing.
const requiredPrefix = "expected required property "

// rule says in Kappa's words what huma demands.
func rule(message string) string {
	switch message {
	case validation.MsgExpectedBoolean:
		return "must be true or false"
	case validation.MsgExpectedInteger, "invalid integer":
		return "must be a whole number"
	case validation.MsgExpectedNumber, "invalid float":
		return "must be a number"
	case validation.MsgExpectedString:
		return "must be text"
	case validation.MsgExpectedArray:
		return "must be a list"
	case validation.MsgExpectedObject:
		return "must be an object"
	case validation.MsgExpectedRFC3339DateTime:
		return "must be an instant in RFC 3339, for example 2026-01-31T08:00:00Z"
	case validation.MsgUnexpectedProperty:
		return "is not a known field"
	}
	return strings.TrimPrefix(message, "invalid value: ")
}

// short returns a value that may be shown again, or nil.
func short(v any) any {
	switch v := v.(type) {
	case bool, float64, int, int64:
		return v
	case string:
		return Printable(v)
	}
	return nil
}

// fieldName is the name of a field in a sentence: its place without the first
// word, or that word alone.
func fieldName(loc []any) string {
	var b strings.Builder
	for _, part := range loc[1:] {
		switch part := part.(type) {
		case string:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(Printable(part))
		case int:
			b.WriteString("[" + strconv.Itoa(part) + "]")
		}
	}
	if b.Len() == 0 {
		return loc[0].(string)
	}
	return b.String()
}
