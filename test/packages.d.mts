/** Makes the files of bundled packages, unless they are of the packages that are installed now. */
export function bundlePackages(): Promise<void>
