const NOT_FETCHED = 'contexts are not fetched: a vocabulary is a file, and loading asks no other host'
const JSON_LD_1_0 = 'the test asks for JSON-LD 1.0; files are read as JSON-LD 1.1'
const DIRECTION = 'the test sets the option rdfDirection; without it a base direction is not part of a text'
const NESTED_CONTEXT = 'jsonld 9 ignores the context of a term that stands for @nest'

/** The tests that loading does not pass, by suite, and the reason for each. */
export const DIFFERENCES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'json-ld': {
    tc029: JSON_LD_1_0,
    tc031: NOT_FETCHED,
    tc034: NOT_FETCHED,
    tc037: NESTED_CONTEXT,
    tc038: NESTED_CONTEXT,
    tdi09: DIRECTION,
    tdi10: DIRECTION,
    tdi11: DIRECTION,
    tdi12: DIRECTION,
    te075: 'the test sets the option produceGeneralizedRdf; stores have no blank nodes as predicates',
    te077: 'the test sets the option expandContext; a file has its context in it',
    te126: NOT_FETCHED,
    te127: NOT_FETCHED,
    te128: NOT_FETCHED,
    tep02: JSON_LD_1_0,
    ter21: JSON_LD_1_0,
    ter42: JSON_LD_1_0,
    tso05: NOT_FETCHED,
    tso06: NOT_FETCHED,
    tso08: NOT_FETCHED,
    tso09: NOT_FETCHED,
    tso11: NOT_FETCHED,
    ttn01: JSON_LD_1_0,
    twf05: 'an ill-formed language tag is mended and reported; the text is not lost',
  },
}
