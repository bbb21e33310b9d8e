module gpucache

go 1.19

require github.com/sarchlab/akita/v4 v4.0.0

replace github.com/sarchlab/akita/v4 => ./stub
