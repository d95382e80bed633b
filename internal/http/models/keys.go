package models

import (
	"context"
	"encoding/json"
	"io"
	"mime"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/http"
)

const (
	mostKeyBody   = 16 << 10 // bytes
	keyWithin     = 30 * time.Second
	keyTriedField = "api_key"
)

// keys keeps the keys of providers.
type keys interface {
	KeyList() []models.KeyStatus
	SetKey(ctx context.Context, provider, key string) (models.KeyStatus, error)
	DeleteKey(ctx context.Context, provider string) error
	// RotateKeys encrypts all of them anew, or none.
	RotateKeys(ctx context.Context) (int, error)
}

type providerKeyAnswer struct {
	Status     string `json:"status"`
	Message    string `json:"message"`
	Provider   string `json:"provider"`
	Validation string `json:"validation_status,omitempty"`
}

type keyInput struct {
	Provider string `path:"provider" doc:"The name of a provider, as openai"`
}

func (a *API) registerKeys(r *http.Router) {
	http.Register(r, http.Route{Method: "GET", Path: "/admin/keys", Permission: access.APIKeysRead, ID: "provider-keys.list", Summary: "List for which providers there are keys; none is shown"},
		func(context.Context, *struct{}) ([]models.KeyStatus, error) {
			return a.cfg.Keys.KeyList(), nil
		})
	http.Register(r, http.Route{Method: "GET", Path: "/admin/keys/{provider}", Permission: access.APIKeysRead, ID: "provider-keys.show", Summary: "Show whether there is a key of a provider; it is not shown"},
		func(_ context.Context, in *keyInput) (models.KeyStatus, error) {
			for _, k := range a.cfg.Keys.KeyList() {
				if k.Provider == in.Provider {
					return k, nil
				}
			}
			return models.KeyStatus{}, kappa.NewError(kappa.CodeNotFound, "There is no key of "+http.Printable(in.Provider))
		})
	r.RegisterRaw(http.Route{
		Method: "POST", Path: "/admin/keys/{provider}", Permission: access.APIKeysWrite, ID: "provider-keys.set", AnswerWithin: triedWithin,
		Summary: "Try the key of a provider and store it, encrypted, for every server", Document: func(op *huma.Operation) {
			schema := &huma.Schema{Type: huma.TypeObject, Required: []string{keyTriedField}, Properties: map[string]*huma.Schema{keyTriedField: {Type: huma.TypeString, Description: "It cannot be read again"}}}
			op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {Schema: schema}, http.MultipartType: {Schema: schema}, http.URLEncodedType: {Schema: schema}}}
			op.Parameters = append(op.Parameters, &huma.Param{Name: "provider", In: "path", Required: true, Description: "The name of a provider, as openai", Schema: &huma.Schema{Type: huma.TypeString}})
			http.Respond(op, "200", "application/json", "It is stored", http.SchemaOf[providerKeyAnswer](r))
		},
	}, func(c *gin.Context) error { return a.setKey(r, c) })
	http.Register(r, http.Route{Method: "DELETE", Path: "/admin/keys/{provider}", Permission: access.APIKeysDelete, ID: "provider-keys.delete", Summary: "Delete the stored key of a provider"},
		func(ctx context.Context, in *keyInput) (providerKeyAnswer, error) {
			return providerKeyAnswer{Status: "success", Message: "The key of " + in.Provider + " is deleted; calls that need it wait", Provider: in.Provider}, a.cfg.Keys.DeleteKey(ctx, in.Provider)
		})
	http.Register(r, http.Route{Method: "POST", Path: "/admin/models/keys/rotate", Permission: access.APIKeysWrite, ID: "provider-keys.rotate", Summary: "Encrypt every stored key anew with another key, all of them or none"},
		func(ctx context.Context, _ *struct{}) (api.RotatedKeys, error) {
			n, err := a.cfg.Keys.RotateKeys(ctx)
			return api.RotatedKeys{Rotated: n, Message: "The file with the key was replaced on this server; servers that do not share it need a copy"}, err
		})
}

// setKey stores a key. What was sent is in no error.
func (a *API) setKey(r *http.Router, c *gin.Context) error {
	key, err := readKey(r, c)
	if err != nil {
		return err
	}
	status, err := a.cfg.Keys.SetKey(c.Request.Context(), c.Param("provider"), key)
	if err != nil {
		return err
	}
	http.WriteJSON(c, 200, providerKeyAnswer{Status: "success", Message: "The key was tried and is stored, encrypted", Provider: status.Provider, Validation: "valid"})
	return nil
}

// readKey reads a key from a form or from JSON.
func readKey(r *http.Router, c *gin.Context) (string, error) {
	if media, _, err := mime.ParseMediaType(c.GetHeader("Content-Type")); err != nil || media != "application/json" {
		form, err := r.SmallForm(c)
		if err != nil {
			return "", err
		}
		return form.Text(keyTriedField), nil
	}
	body, err := http.LimitBody(c, mostKeyBody, keyWithin)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(body)
	http.BodyRead(c)
	var sent map[string]json.RawMessage
	if err != nil || json.Unmarshal(text, &sent) != nil {
		return "", kappa.NewError(kappa.CodeMalformed, `The body must be JSON such as {"api_key": "…"}, or a form`)
	}
	for name := range sent {
		if name != keyTriedField {
			return "", kappa.Invalid(kappa.FieldError{In: "body", Name: http.Printable(name), Rule: "is not a known field"})
		}
	}
	var key string
	if json.Unmarshal(sent[keyTriedField], &key) != nil {
		return "", kappa.Invalid(kappa.FieldError{In: "body", Name: keyTriedField, Rule: "must be a text; it is not shown"})
	}
	return key, nil
}
