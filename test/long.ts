import { test } from '@jest/globals'

/**
 * TEST_LONG=1 asks for everything; by default a part is left out that takes long and rarely fails. FIDELITY=all asks
 * for even more files.
 */
export const LONG = process.env['TEST_LONG'] === '1' || process.env['FIDELITY'] === 'all'

/** A test that runs only with TEST_LONG=1. */
export const testLong = LONG ? test : test.skip
