/* Generated from agent/protocol by tools/generate_tables.py; do not edit. */

#ifndef ARRAYWRIGHT_BASE_BOUNDS_H
#define ARRAYWRIGHT_BASE_BOUNDS_H

#define BOUND_TIME_US_MAX 253402300799999999ull
#define BOUND_SEQUENCE_MAX 4611686018427387903ull
#define BOUND_INTEGER_MAX 9007199254740991ull

#endif
