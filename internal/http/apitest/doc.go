// Package apitest serves resources of the HTTP API to their tests, calls them and
// reads their answers. It knows none of them: what is behind a resource is the fake
// of its own tests.
package apitest
