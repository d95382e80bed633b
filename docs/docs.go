// Package docs has what of the documentation the program itself hands out.
package docs

import _ "embed"

// OpenAPI is the description of the API, which a test holds to the routes. Its version is
// "devel".
//
//go:embed openapi.json
var OpenAPI []byte
