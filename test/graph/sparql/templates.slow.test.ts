/** The templates over servers, which take long to start. */
import { LONG } from '../../long.ts'
import { DEPLOYED, EVERY } from '../../stores.ts'
import { describeEveryTemplate } from './every-template.ts'

describeEveryTemplate((LONG ? EVERY : DEPLOYED).filter((name) => name !== 'embedded'))
