// The shared singletons are settled before anything imports them.
import(/* webpackChunkName: "bootstrap" */ './bootstrap')
