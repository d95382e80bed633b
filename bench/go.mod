module github.com/kappagraph/kappa/bench

go 1.26.0

replace github.com/kappagraph/kappa => ../

require github.com/kappagraph/kappa v0.0.0-00010101000000-000000000000
