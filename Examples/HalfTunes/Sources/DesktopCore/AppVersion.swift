/// The version of the apps, which is that of their releases and packages.
package let appVersion = "0.1.0"
